public import JSON

/// A value that a page fills without showing it.
///
/// Its input often comes filled with its id, which means unset. Chains say the id nowhere else.
public struct HiddenValueCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "HiddenValueCallback"
    /// The longest answer, in bytes: a WebAuthn outcome with its certificates fits.
    package static let longestAnswer = 65_536
    /// The callback as received.
    public let raw: RawCallback
    /// The name of the value: `id` on the wire, else what its input came filled with, else the name of that input.
    public let hiddenID: String
    /// What the server sent along.
    public let value: String

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        let input = raw.inputs.first
        hiddenID = [raw.text("id"), input?.value.string ?? ""].first { !$0.isEmpty } ?? input?.name ?? ""
        value = raw.text("value")
    }

    /// The name and the value.
    public var members: JSONObject { ["hiddenId": .string(hiddenID), "value": .string(value)] }

    /// The answer is a text.
    public var answerSchema: JSONObject? { ["type": "string"] }

    /// What is wrong with a text.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? {
        AnswerCheck.text(answer, limit: Self.longestAnswer)
    }

    /// Fills the one input.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) { inputs.set(0, answer) }
}

extension HiddenValueCallback: AnsweredCallback {
    /// The value that a page fills in.
    public typealias Answer = String
}
