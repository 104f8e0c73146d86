public import JSON
public import Orchestrate

/// Asks for a new user name that has to meet policies.
public struct ValidatedCreateUsernameCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "ValidatedCreateUsernameCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// The label and the policies.
    public let validated: ValidatedInput

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        validated = ValidatedInput(raw)
    }

    /// The label, the policies and the initial value of the field.
    public var members: JSONObject {
        var members = validated.members
        members["value"] = .string(value)
        return members
    }

    /// A text; an object with `value` and `validateOnly` if the server can validate without continuing the journey.
    public var answerSchema: JSONObject? {
        validated.schema(of: AnswerSchema.text(validated.prompt, default: value, autofill: .username))
    }

    private var value: String { raw.filledText(validated.valueInput) }

    /// The reason to refuse an answer; nil when the answer can be sent.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? {
        validated.refusal(of: answer) { AnswerCheck.text($0) }
    }

    /// Fills the inputs for the value and for `validateOnly`.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) { validated.fill(answer, &inputs) }
}

extension ValidatedCreateUsernameCallback: AnsweredCallback {
    /// The user name as the page takes it.
    public func json(of answer: String) -> JSONValue { validated.wrapped(.string(answer)) }
    /// The user name; nil for anything else.
    public func answer(of json: JSONValue) -> String? { validated.unwrapped(json)?.string }
}
