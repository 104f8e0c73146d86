public import JSON

/// Shows a message; or carries a script for a login page, which is never shown and never run.
public struct TextOutputCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "TextOutputCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// The text of the message, or a script.
    public let message: String
    /// How serious it is.
    public let messageType: MessageType

    /// How serious a message is; a text on the wire most of the time, a number in some versions.
    public enum MessageType: Int64, Sendable {
        /// Tells of something that is no trouble.
        case information = 0
        /// Warns of something.
        case warning = 1
        /// Tells of an error.
        case error = 2
        /// JavaScript for a page of the provider.
        case script = 4
        /// No number of these, or none at all.
        case unknown = -1
    }

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        message = raw.text("message")
        messageType = raw.integer("messageType").flatMap { MessageType(rawValue: $0) } ?? .unknown
    }

    /// A message is shown, a script is not.
    public var isShown: Bool { messageType != .script }

    /// The message and its type as a number.
    public var members: JSONObject {
        ["message": .string(message), "messageType": .number(JSONNumber(messageType.rawValue))]
    }

    /// A message takes no answer.
    public var answerSchema: JSONObject? { nil }

    /// Any answer is one too many.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? {
        AnswerRefusal(.notAnswerable, "a message takes no answer")
    }

    /// Changes nothing, as a message has no inputs.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {}
}
