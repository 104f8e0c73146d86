public import JSON
public import Orchestrate

/// Says that the journey is suspended until the user acts elsewhere, for example opens a link in an e-mail.
///
/// `BoundJourney.resume(suspendedID:)` resumes the journey.
public struct SuspendedTextOutputCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "SuspendedTextOutputCallback"
    /// The callback as received.
    public let raw: RawCallback

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
    }

    /// The text for the user.
    public var message: String { raw.text("message") }

    /// The message only.
    public var members: JSONObject { ["message": .string(message)] }

    /// Nil, because a message takes no answer.
    public var answerSchema: JSONObject? { nil }

    /// Refuses every answer.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? {
        AnswerRefusal(.notAnswerable, "the journey goes on by the link that was sent")
    }

    /// Does nothing, because a message has no inputs.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {}
}
