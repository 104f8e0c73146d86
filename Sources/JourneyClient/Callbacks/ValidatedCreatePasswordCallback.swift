public import JSON
public import Orchestrate

/// Asks for a new password that has to meet policies.
public struct ValidatedCreatePasswordCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "ValidatedCreatePasswordCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// Label and policies.
    public let validated: ValidatedInput
    /// Whether the value may be shown while it is typed.
    public let echoOn: Bool

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        validated = ValidatedInput(raw)
        echoOn = raw.output("echoOn")?.bool ?? false
    }

    /// Label, policies and whether to show what is typed; what a field came filled with is not shown.
    public var members: JSONObject {
        var members = validated.members
        members["echoOn"] = .bool(echoOn)
        return members
    }

    /// A text that is never shown, in an object where the server can check without going on.
    public var answerSchema: JSONObject? {
        validated.schema(of: AnswerSchema.secret(validated.prompt, autofill: .newPassword))
    }

    /// What is wrong with an answer.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? {
        validated.refusal(of: answer) { AnswerCheck.text($0) }
    }

    /// Fills value and flag.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) { validated.fill(answer, &inputs) }
}

extension ValidatedCreatePasswordCallback: AnsweredCallback {
    /// The password as a page takes it.
    public func json(of answer: String) -> JSONValue { validated.wrapped(.string(answer)) }
    /// The password; nil for anything else.
    public func answer(of json: JSONValue) -> String? { validated.unwrapped(json)?.string }
}
