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

extension NameCallback: AnsweredCallback {
    /// The name of the user.
    public typealias Answer = String
}

extension PasswordCallback: AnsweredCallback {
    /// The password, as it was typed.
    public typealias Answer = String
}

extension TextInputCallback: AnsweredCallback {
    /// The text that was typed.
    public typealias Answer = String
}

extension HiddenValueCallback: AnsweredCallback {
    /// The value that a page fills in.
    public typealias Answer = String
}

extension ChoiceCallback: AnsweredCallback {
    /// The position of the choice, from 0.
    public typealias Answer = Int64
}

extension ConfirmationCallback: AnsweredCallback {
    /// What the option sends, see `options`.
    public typealias Answer = Int64
}

extension ValidatedCreateUsernameCallback: AnsweredCallback {
    /// The name as a page takes it.
    public func json(of answer: String) -> JSONValue { validated.wrapped(.string(answer)) }
    /// The name; nil for anything else.
    public func answer(of json: JSONValue) -> String? { validated.unwrapped(json)?.string }
}

extension ValidatedCreatePasswordCallback: AnsweredCallback {
    /// The password as a page takes it.
    public func json(of answer: String) -> JSONValue { validated.wrapped(.string(answer)) }
    /// The password; nil for anything else.
    public func answer(of json: JSONValue) -> String? { validated.unwrapped(json)?.string }
}

extension NumberAttributeInputCallback: AnsweredCallback {
    /// The number as a page takes it; null, which no page takes, for an infinity and for what is no number.
    public func json(of answer: Double) -> JSONValue {
        validated.wrapped(JSONNumber(answer).map { .number($0) } ?? .null)
    }
    /// The nearest number; nil for anything else.
    public func answer(of json: JSONValue) -> Double? {
        guard case .number(let number) = validated.unwrapped(json) else { return nil }
        return number.double
    }
}

extension ValidatedInput {
    /// An answer by itself, or in the object that a server wants which can check without going on.
    fileprivate func wrapped(_ value: JSONValue) -> JSONValue {
        validateOnlyInput == nil ? value : ["value": value]
    }

    fileprivate func unwrapped(_ json: JSONValue) -> JSONValue? {
        validateOnlyInput == nil ? json : json["value"]
    }
}
