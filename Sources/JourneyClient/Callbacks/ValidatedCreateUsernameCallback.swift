public import JSON
public import Orchestrate

/// Asks for a new user name that has to meet policies.
public struct ValidatedCreateUsernameCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "ValidatedCreateUsernameCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// Label and policies.
    public let validated: ValidatedInput

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        validated = ValidatedInput(raw)
    }

    /// Label, policies, and what the field begins with.
    public var members: JSONObject {
        var members = validated.members
        members["value"] = .string(value)
        return members
    }

    /// A text, in an object where the server can check without going on.
    public var answerSchema: JSONObject? {
        validated.schema(of: AnswerSchema.text(validated.prompt, default: value, autofill: .username))
    }

    private var value: String { raw.filledText(validated.valueInput) }

    /// What is wrong with an answer.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? {
        validated.refusal(of: answer) { AnswerCheck.text($0) }
    }

    /// Fills value and flag.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) { validated.fill(answer, &inputs) }
}

extension ValidatedCreateUsernameCallback: AnsweredCallback {
    /// The name as a page takes it.
    public func json(of answer: String) -> JSONValue { validated.wrapped(.string(answer)) }
    /// The name; nil for anything else.
    public func answer(of json: JSONValue) -> String? { validated.unwrapped(json)?.string }
}
