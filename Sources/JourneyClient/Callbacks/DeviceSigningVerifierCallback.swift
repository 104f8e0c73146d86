public import JSON
public import Orchestrate

/// Asks a native application to sign with the key that it bound to the user; a browser can only say that it does not.
public struct DeviceSigningVerifierCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "DeviceSigningVerifierCallback"
    /// The callback as received.
    public let raw: RawCallback

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
    }

    /// All that the server says but the challenge, which only the key could use.
    public var members: JSONObject {
        NativeDeviceAnswer.members(raw, texts: ["userId", "title", "subtitle", "description"])
    }

    /// Why there is no signature.
    public var answerSchema: JSONObject? { NativeDeviceAnswer.schema }

    /// What is wrong with an answer.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? { NativeDeviceAnswer.refusal(of: answer) }

    /// Fills the input for errors.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {
        NativeDeviceAnswer.fill(answer, raw, &inputs)
    }
}

extension DeviceSigningVerifierCallback: AnsweredCallback {
    /// `clientError`.
    public typealias Answer = JSONObject
}
