public import JSON
public import Orchestrate

/// Asks a native application to make a key and bind it to the user; a browser can only say that it does not.
public struct DeviceBindingCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "DeviceBindingCallback"
    /// The callback as received.
    public let raw: RawCallback

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
    }

    /// All that the server says but the challenge, which only the key could use.
    public var members: JSONObject {
        var members = NativeDeviceAnswer.members(
            raw, texts: ["userId", "username", "authenticationType", "title", "subtitle", "description"])
        members["attestation"] = .bool(raw.flag("attestation"))
        return members
    }

    /// Why there is no key.
    public var answerSchema: JSONObject? { NativeDeviceAnswer.schema }

    /// What is wrong with an answer.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? { NativeDeviceAnswer.refusal(of: answer) }

    /// Fills the input for errors.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {
        NativeDeviceAnswer.fill(answer, raw, &inputs)
    }
}

extension DeviceBindingCallback: AnsweredCallback {
    /// `clientError`.
    public typealias Answer = JSONObject
}
