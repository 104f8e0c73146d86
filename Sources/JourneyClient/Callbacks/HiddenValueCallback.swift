public import JSON
public import Orchestrate

/// A value that a page fills without showing it.
///
/// Its input often comes filled with its id, which means unset. Chains say the id nowhere else.
public struct HiddenValueCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "HiddenValueCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// The name of the value: `id` on the wire, else what its input came filled with, else the name of that input.
    public let hiddenID: String
    /// What the server sent along.
    public let value: String

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        let id = raw.text("id")
        hiddenID = raw.inputs.first.map { Self.name(id: id, $0) } ?? id
        value = raw.text("value")
    }

    /// The name of a value with this `id` and this input.
    static func name(id: String, _ input: RawCallback.Input) -> String {
        [id, input.value.string ?? ""].first { !$0.isEmpty } ?? input.name
    }

    /// The name and the value; one that an authenticator app reads is to be drawn as a QR code, whatever its name.
    public var members: JSONObject {
        var members: JSONObject = ["hiddenId": .string(hiddenID), "value": .string(value)]
        if PageScript.isForAuthenticators(value) {
            members["specialised"] = "qr_code"
            members["uri"] = .string(value)
        }
        return members
    }

    /// The answer is a text.
    public var answerSchema: JSONObject? {
        AnswerSchema.hidden(AnswerSchema.text("", limit: AnswerCheck.longestToken))
    }

    /// What is wrong with a text.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? { AnswerCheck.token(answer) }

    /// Fills the one input.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) { inputs.set(0, answer) }
}

extension HiddenValueCallback: AnsweredCallback {
    /// The value that a page fills in.
    public typealias Answer = String
}
