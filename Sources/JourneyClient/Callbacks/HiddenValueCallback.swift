public import JSON
public import Orchestrate

/// A value that the page fills without showing it.
///
/// The input often contains its own id, which means that it is unset. Authentication chains send the id only there.
public struct HiddenValueCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "HiddenValueCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// The name of the value: `id` on the wire, else the value of its input, else the name of the input.
    public let hiddenID: String
    /// The value that the server sent.
    public let value: String

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        let id = raw.text("id")
        hiddenID = raw.inputs.first.map { Self.name(id: id, $0) } ?? id
        value = raw.text("value")
    }

    /// The name of a hidden value with this `id` and this input.
    static func name(id: String, _ input: RawCallback.Input) -> String {
        [id, input.value.string ?? ""].first { !$0.isEmpty } ?? input.name
    }

    /// The name and the value; a value for authenticator apps is marked to be drawn as a QR code, whatever its name.
    public var members: JSONObject {
        var members: JSONObject = ["hiddenId": .string(hiddenID), "value": .string(value)]
        if PageScript.isForAuthenticators(value) {
            members["specialised"] = "qr_code"
            members["uri"] = .string(value)
        }
        return members
    }

    /// A text that the page fills without asking the user.
    public var answerSchema: JSONObject? {
        AnswerSchema.hidden(AnswerSchema.text("", limit: AnswerCheck.longestToken))
    }

    /// The reason to refuse a text; nil when the text can be sent.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? { AnswerCheck.token(answer) }

    /// Fills the only input of the callback.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) { inputs.set(0, answer) }
}

extension HiddenValueCallback: AnsweredCallback {
    /// The text that the page fills in.
    public typealias Answer = String
}
