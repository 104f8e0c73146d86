public import JSON
public import Orchestrate

/// Asks the page to recognise a person by PingOne Recognize, or to enrol one.
public struct PingOneRecognizeCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "PingOneRecognizeCallback"
    /// The callback as received.
    public let raw: RawCallback

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
    }

    private var request: RecognizeRequest { RecognizeRequest { raw.output($0) } }

    /// What the program needs.
    public var members: JSONObject { request.document }

    /// What it found, or why it found nothing.
    public var answerSchema: JSONObject? { request.answer.schema }

    /// What is wrong with an answer.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? { request.answer.refusal(of: answer) }

    /// Fills the inputs that are answered; older servers call that of the id `keylessId`.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {
        request.answer.fill(answer, raw, &inputs)
        if let id = answer["recognizeId"] { inputs.set(raw.input(endingWith: "keylessId"), id) }
    }
}

extension PingOneRecognizeCallback: AnsweredCallback {
    /// `signedJwt`, `recognizeId`, which an authentication may lack, and perhaps `clientState`; or `clientError` and perhaps `clientErrorCode`.
    public typealias Answer = JSONObject
}
