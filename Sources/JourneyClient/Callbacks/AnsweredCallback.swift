public import JSON
public import Orchestrate

/// A callback whose answer has a Swift type, so that the compiler checks answers.
public protocol AnsweredCallback<Answer>: JourneyCallback {
    /// The type of the answer.
    associatedtype Answer: Sendable

    /// Encodes an answer as JSON for the page.
    func json(of answer: Answer) -> JSONValue

    /// Decodes an answer from JSON; nil when the JSON is not an answer.
    func answer(of json: JSONValue) -> Answer?
}

extension Answers {
    /// The answer to a callback, instead of `values[callback.id]`; nil leaves the question as received.
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
    /// The number; nil for anything but a whole number.
    public func answer(of json: JSONValue) -> Int64? { json.int }
}

extension AnsweredCallback where Answer == Bool {
    /// The boolean itself.
    public func json(of answer: Bool) -> JSONValue { .bool(answer) }
    /// The boolean; nil for anything else.
    public func answer(of json: JSONValue) -> Bool? { json.bool }
}

extension AnsweredCallback where Answer == JSONObject {
    /// The object itself.
    public func json(of answer: JSONObject) -> JSONValue { .object(answer) }
    /// The object; nil for anything else.
    public func answer(of json: JSONValue) -> JSONObject? { json.object }
}
