public import JSON
public import Orchestrate

/// Asks a native application to sign with the key that it bound to the user; a browser can only answer that it cannot.
public struct DeviceSigningVerifierCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "DeviceSigningVerifierCallback"
    /// The callback as received.
    public let raw: RawCallback

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
    }

    /// Everything that AM sent except the challenge, which only the key can use.
    public var members: JSONObject {
        NativeDeviceAnswer.members(raw, texts: ["userId", "title", "subtitle", "description"])
    }

    /// The error by which the client says why there is no signature.
    public var answerSchema: JSONObject? { NativeDeviceAnswer.schema }

    /// The reason to refuse an answer; nil when the answer can be sent.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? { NativeDeviceAnswer.refusal(of: answer) }

    /// Fills the input for the client error.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {
        NativeDeviceAnswer.fill(answer, raw, &inputs)
    }
}

extension DeviceSigningVerifierCallback: AnsweredCallback {
    /// An object with `clientError`.
    public typealias Answer = JSONObject
}
