public import JSON
public import Orchestrate

/// Asks to wait and then to send the page again, while the user acts elsewhere, for example on a phone.
public struct PollingWaitCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "PollingWaitCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// The time to wait before the page is sent back, in milliseconds: 500 to 300,000; 8,000 if AM sends no number.
    ///
    /// AM answers an earlier poll with the page again; too many of them may end the journey (docs/protocol.md,
    /// 'Polling').
    public let waitTime: Int64
    /// The text to show to the user meanwhile.
    public let message: String

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        waitTime = raw.integer("waitTime").map { min(max($0, 500), 300_000) } ?? 8000
        message = raw.text("message")
    }

    /// The wait time and the message.
    public var members: JSONObject {
        ["waitTime": .number(JSONNumber(waitTime)), "message": .string(message)]
    }

    /// Nil, because a wait takes no answer.
    public var answerSchema: JSONObject? { nil }

    /// Refuses every answer.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? {
        AnswerRefusal(.notAnswerable, "a wait takes no answer")
    }

    /// Does nothing, because a wait has no inputs.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {}
}
