public import JSON
public import Orchestrate

/// Asks for a user name.
public struct NameCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "NameCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// What stands beside the field.
    public let prompt: String

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        prompt = raw.text("prompt")
    }

    /// The label, and what the field begins with.
    public var members: JSONObject {
        ["prompt": .string(prompt), "value": .string(raw.filledText())]
    }

    /// The answer is a text.
    public var answerSchema: JSONObject? {
        AnswerSchema.text(prompt, default: raw.filledText(), autofill: autofill)
    }

    /// OpenAM asks for codes so, too.
    private var autofill: AnswerSchema.Autofill? {
        if raw.page.asksForCode, raw.page.passwords.isEmpty { return .oneTimeCode }
        return raw.page.firstName == raw.index ? .username : nil
    }

    /// What is wrong with a text.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? { AnswerCheck.text(answer) }

    /// Fills the one input.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) { inputs.set(0, answer) }
}

extension NameCallback: AnsweredCallback {
    /// The name of the user.
    public typealias Answer = String
}
