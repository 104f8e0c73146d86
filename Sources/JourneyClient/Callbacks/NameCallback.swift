public import JSON
public import Orchestrate

/// Asks for a user name.
public struct NameCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "NameCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// The label of the field.
    public let prompt: String

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        prompt = raw.text("prompt")
    }

    /// The label and the initial value of the field.
    public var members: JSONObject {
        ["prompt": .string(prompt), "value": .string(raw.filledText())]
    }

    /// A text, with an autofill hint for user names and one-time codes.
    public var answerSchema: JSONObject? {
        AnswerSchema.text(prompt, default: raw.filledText(), autofill: autofill)
    }

    /// The autofill hint; a NameCallback may ask for a one-time code too, as OpenAM's does.
    private var autofill: AnswerSchema.Autofill? {
        if raw.page.asksForCode, raw.page.passwords.isEmpty { return .oneTimeCode }
        return raw.page.firstName == raw.index ? .username : nil
    }

    /// The reason to refuse a text; nil when the text can be sent.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? { AnswerCheck.text(answer) }

    /// Fills the only input of the callback.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) { inputs.set(0, answer) }
}

extension NameCallback: AnsweredCallback {
    /// The user name.
    public typealias Answer = String
}
