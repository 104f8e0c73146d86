public import JSON
public import Orchestrate

/// Asks for the signals that the page has collected for PingOne Protect.
public struct PingOneProtectEvaluationCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "PingOneProtectEvaluationCallback"
    /// The callback as received.
    public let raw: RawCallback

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
    }

    /// Whether collecting pauses afterwards.
    public var members: JSONObject { ProtectEvaluation { raw.output($0) }.document }

    /// The signals, or why there are none.
    public var answerSchema: JSONObject? { ProtectEvaluation.answer.schema }

    /// What is wrong with an answer.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? { ProtectEvaluation.answer.refusal(of: answer) }

    /// Fills the inputs that are answered.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {
        ProtectEvaluation.answer.fill(answer, raw, &inputs)
    }
}

extension PingOneProtectEvaluationCallback: AnsweredCallback {
    /// `signals` and `clientError`, which may be missing.
    public typealias Answer = JSONObject
}
