public import JSON
public import Orchestrate

/// Asks a native application to make a key and bind it to the user; a browser can only answer that it cannot.
public struct DeviceBindingCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "DeviceBindingCallback"
    /// The callback as received.
    public let raw: RawCallback

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
    }

    /// Everything that AM sent except the challenge, which only the key can use.
    public var members: JSONObject {
        var members = NativeDeviceAnswer.members(
            raw, texts: ["userId", "username", "authenticationType", "title", "subtitle", "description"])
        members["attestation"] = .bool(raw.flag("attestation"))
        return members
    }

    /// The error by which the client says why there is no key.
    public var answerSchema: JSONObject? { NativeDeviceAnswer.schema }

    /// The reason to refuse an answer; nil when the answer can be sent.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? { NativeDeviceAnswer.refusal(of: answer) }

    /// Fills the input for the client error.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {
        NativeDeviceAnswer.fill(answer, raw, &inputs)
    }
}

extension DeviceBindingCallback: AnsweredCallback {
    /// An object with `clientError`.
    public typealias Answer = JSONObject
}
