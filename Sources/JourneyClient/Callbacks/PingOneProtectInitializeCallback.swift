public import JSON
public import Orchestrate

/// Asks the page to start collecting signals for PingOne Protect.
public struct PingOneProtectInitializeCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "PingOneProtectInitializeCallback"
    /// The callback as received.
    public let raw: RawCallback

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
    }

    /// The options for the program that collects signals.
    public var members: JSONObject { ProtectInitialization { raw.output($0) }.document }

    /// The error by which the program failed to start; empty after a successful start.
    public var answerSchema: JSONObject? { ProtectInitialization.answer.schema }

    /// The reason to refuse an answer; nil when the answer can be sent.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? { ProtectInitialization.answer.refusal(of: answer) }

    /// Fills the only input of the callback.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {
        ProtectInitialization.answer.fill(answer, raw, &inputs)
    }
}

extension PingOneProtectInitializeCallback: AnsweredCallback {
    /// An object with `clientError`, which is optional.
    public typealias Answer = JSONObject
}
