public import JSON
public import Orchestrate

/// A callback whose answer has a type in Swift, so that the compiler knows what it takes.
public protocol AnsweredCallback<Answer>: JourneyCallback {
    /// What the user gives.
    associatedtype Answer: Sendable

    /// The answer as a page takes it.
    func json(of answer: Answer) -> JSONValue

    /// The answer that a value stands for; nil when it is none.
    func answer(of json: JSONValue) -> Answer?
}

extension Answers {
    /// The answer to a callback, in place of `values[callback.id]`; nil leaves the question as it came.
    public subscript<Callback: AnsweredCallback>(callback: Callback) -> Callback.Answer? {
        get { values[callback.id].flatMap { callback.answer(of: $0) } }
        set { values[callback.id] = newValue.map { callback.json(of: $0) } }
    }
}

extension AnsweredCallback where Answer == String {
    /// The text itself.
    public func json(of answer: String) -> JSONValue { .string(answer) }
    /// The text; nil for anything else.
    public func answer(of json: JSONValue) -> String? { json.string }
}

extension AnsweredCallback where Answer == Int64 {
    /// The number itself.
    public func json(of answer: Int64) -> JSONValue { .number(JSONNumber(answer)) }
    /// The number; nil for anything that is no whole number.
    public func answer(of json: JSONValue) -> Int64? { json.int }
}

extension AnsweredCallback where Answer == Bool {
    /// The truth value itself.
    public func json(of answer: Bool) -> JSONValue { .bool(answer) }
    /// The truth value; nil for anything else.
    public func answer(of json: JSONValue) -> Bool? { json.bool }
}

extension AnsweredCallback where Answer == JSONObject {
    /// The object itself.
    public func json(of answer: JSONObject) -> JSONValue { .object(answer) }
    /// The object; nil for anything else.
    public func answer(of json: JSONValue) -> JSONObject? { json.object }
}
