public import JSON
public import Orchestrate

/// Says that the journey goes on elsewhere, as by a link in an e-mail; `BoundJourney.resume(suspendedID:)` goes on.
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

    /// The message alone.
    public var members: JSONObject { ["message": .string(message)] }

    /// A message takes no answer.
    public var answerSchema: JSONObject? { nil }

    /// Any answer is one too many.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? {
        AnswerRefusal(.notAnswerable, "the journey goes on by the link that was sent")
    }

    /// Changes nothing, as a message has no inputs.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {}
}
