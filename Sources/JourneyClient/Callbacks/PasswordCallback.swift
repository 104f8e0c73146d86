public import JSON

/// Asks for a secret: a password, a one-time code.
public struct PasswordCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "PasswordCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// What stands beside the field.
    public let prompt: String

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        prompt = raw.text("prompt")
    }

    /// The label; what a field came filled with is not shown.
    public var members: JSONObject { ["prompt": .string(prompt)] }

    /// A text that is never shown.
    public var answerSchema: JSONObject? { ["type": "string", "writeOnly": true] }

    /// What is wrong with a text.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? { AnswerCheck.text(answer) }

    /// Fills the one input.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) { inputs.set(0, answer) }
}

extension PasswordCallback: AnsweredCallback {
    /// The password, as it was typed.
    public typealias Answer = String
}
