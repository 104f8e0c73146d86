public import JSON
public import Orchestrate

/// Asks to wait, and then to send the page again: the user does something elsewhere, as on a phone.
public struct PollingWaitCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "PollingWaitCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// How long to wait before the page goes back, in milliseconds: 500 to 300,000, and 8,000 where nothing usable is said.
    ///
    /// A page that comes back earlier counts against the journey, which may end for it (docs/protocol.md, 'Polling').
    public let waitTime: Int64
    /// What to tell the user meanwhile.
    public let message: String

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        waitTime = raw.integer("waitTime").map { min(max($0, 500), 300_000) } ?? 8000
        message = raw.text("message")
    }

    /// The time and the message.
    public var members: JSONObject {
        ["waitTime": .number(JSONNumber(waitTime)), "message": .string(message)]
    }

    /// A wait takes no answer.
    public var answerSchema: JSONObject? { nil }

    /// Any answer is one too many.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? {
        AnswerRefusal(.notAnswerable, "a wait takes no answer")
    }

    /// Changes nothing, as a wait has no inputs.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {}
}
