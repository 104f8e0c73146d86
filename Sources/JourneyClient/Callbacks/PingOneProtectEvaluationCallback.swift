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

    /// The setting to pause the collection of signals afterwards.
    public var members: JSONObject { ProtectEvaluation { raw.output($0) }.document }

    /// The signals, or an error that says why there are none.
    public var answerSchema: JSONObject? { ProtectEvaluation.answer.schema }

    /// The reason to refuse an answer; nil when the answer can be sent.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? { ProtectEvaluation.answer.refusal(of: answer) }

    /// Fills the inputs that have an answer.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {
        ProtectEvaluation.answer.fill(answer, raw, &inputs)
    }
}

extension PingOneProtectEvaluationCallback: AnsweredCallback {
    /// An object with `signals` and `clientError`, both optional.
    public typealias Answer = JSONObject
}
