public import JSON
public import Orchestrate

/// Asks for a text.
public struct TextInputCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "TextInputCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// What stands beside the field.
    public let prompt: String
    /// What the field begins with; empty when the server said nothing.
    public let defaultText: String

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        prompt = raw.text("prompt")
        defaultText = raw.text("defaultText")
    }

    /// The label, the default, and what the field begins with.
    public var members: JSONObject {
        ["prompt": .string(prompt), "defaultText": .string(defaultText), "value": .string(value)]
    }

    private var value: String { raw.filledText().isEmpty ? defaultText : raw.filledText() }

    /// The answer is a text.
    public var answerSchema: JSONObject? { AnswerSchema.text(prompt, default: value) }

    /// What is wrong with a text.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? { AnswerCheck.text(answer) }

    /// Fills the one input.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) { inputs.set(0, answer) }
}

extension TextInputCallback: AnsweredCallback {
    /// The text that was typed.
    public typealias Answer = String
}
