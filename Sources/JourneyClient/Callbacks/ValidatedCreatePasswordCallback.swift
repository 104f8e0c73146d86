public import JSON
public import Orchestrate

/// Asks for a new password that has to meet policies.
public struct ValidatedCreatePasswordCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "ValidatedCreatePasswordCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// The label and the policies.
    public let validated: ValidatedInput
    /// True if the value may be shown while it is typed.
    public let echoOn: Bool

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        validated = ValidatedInput(raw)
        echoOn = raw.output("echoOn")?.bool ?? false
    }

    /// The label, the policies and `echoOn`; the value of the input is not shown.
    public var members: JSONObject {
        var members = validated.members
        members["echoOn"] = .bool(echoOn)
        return members
    }

    /// A text that is never shown; an object with it and `validateOnly` if the server can validate without continuing.
    public var answerSchema: JSONObject? {
        validated.schema(of: AnswerSchema.secret(validated.prompt, autofill: .newPassword))
    }

    /// The reason to refuse an answer; nil when the answer can be sent.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? {
        validated.refusal(of: answer) { AnswerCheck.text($0) }
    }

    /// Fills the inputs for the value and for `validateOnly`.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) { validated.fill(answer, &inputs) }
}

extension ValidatedCreatePasswordCallback: AnsweredCallback {
    /// The password as the page takes it.
    public func json(of answer: String) -> JSONValue { validated.wrapped(.string(answer)) }
    /// The password; nil for anything else.
    public func answer(of json: JSONValue) -> String? { validated.unwrapped(json)?.string }
}
