public import JSON
public import Orchestrate

/// Asks for a text.
public struct TextInputCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "TextInputCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// The label of the field.
    public let prompt: String
    /// The default text; empty when the server sent none.
    public let defaultText: String

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        prompt = raw.text("prompt")
        defaultText = raw.text("defaultText")
    }

    /// The label, the default and the initial value of the field.
    public var members: JSONObject {
        ["prompt": .string(prompt), "defaultText": .string(defaultText), "value": .string(value)]
    }

    private var value: String { raw.filledText().isEmpty ? defaultText : raw.filledText() }

    /// A text with its default.
    public var answerSchema: JSONObject? { AnswerSchema.text(prompt, default: value) }

    /// The reason to refuse a text; nil when the text can be sent.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? { AnswerCheck.text(answer) }

    /// Fills the only input of the callback.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) { inputs.set(0, answer) }
}

extension TextInputCallback: AnsweredCallback {
    /// The text as typed.
    public typealias Answer = String
}
