public import JSON
public import Orchestrate

/// Asks the page to begin to collect signals for PingOne Protect.
public struct PingOneProtectInitializeCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "PingOneProtectInitializeCallback"
    /// The callback as received.
    public let raw: RawCallback

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
    }

    /// How the program begins.
    public var members: JSONObject { ProtectInitialization { raw.output($0) }.document }

    /// Why it could not begin; no answer when it could.
    public var answerSchema: JSONObject? { ProtectInitialization.answer.schema }

    /// What is wrong with an answer.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? { ProtectInitialization.answer.refusal(of: answer) }

    /// Fills the one input.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {
        ProtectInitialization.answer.fill(answer, raw, &inputs)
    }
}

extension PingOneProtectInitializeCallback: AnsweredCallback {
    /// `clientError`, which may be missing.
    public typealias Answer = JSONObject
}
