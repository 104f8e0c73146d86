public import JSON

/// Shows a message; or carries a script for a login page, which is never shown and never run.
public struct TextOutputCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "TextOutputCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// The message.
    public let message: String
    /// How serious it is.
    public let messageType: MessageType

    /// How serious a message is; a text on the wire most of the time, a number in some versions.
    public enum MessageType: Int64, Sendable {
        /// For information.
        case information = 0
        /// A warning.
        case warning = 1
        /// An error.
        case error = 2
        /// JavaScript for a page of the provider.
        case script = 4
        /// Anything else.
        case unknown = -1
    }

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        message = raw.text("message")
        messageType = raw.integer("messageType").flatMap { MessageType(rawValue: $0) } ?? .unknown
    }

    /// Not for a script.
    public var isShown: Bool { messageType != .script }

    /// The message and its type as a number.
    public var members: JSONObject {
        ["message": .string(message), "messageType": .number(JSONNumber(messageType.rawValue))]
    }

    /// None.
    public var answerSchema: JSONObject? { nil }

    /// Any answer is one too many.
    public func fault(in answer: JSONValue) -> AnswerFault? {
        AnswerFault(.notAnswerable, "a message takes no answer")
    }

    /// Changes nothing.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {}
}
