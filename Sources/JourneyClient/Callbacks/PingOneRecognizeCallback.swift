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

    /// What the program needs.
    public var members: JSONObject { RecognizeRequest { raw.output($0) }.document }

    /// What it found, or why it found nothing.
    public var answerSchema: JSONObject? { RecognizeRequest.answer.schema }

    /// What is wrong with an answer.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? { RecognizeRequest.answer.refusal(of: answer) }

    /// Fills the inputs that are answered; older servers call that of the id `keylessId`.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {
        RecognizeRequest.answer.fill(answer, raw, &inputs)
        if let id = answer["recognizeId"] { inputs.set(raw.input(endingWith: "keylessId"), id) }
    }
}

extension PingOneRecognizeCallback: AnsweredCallback {
    /// `signedJwt`, `recognizeId` and perhaps `clientState`; or `clientError` and perhaps `clientErrorCode`.
    public typealias Answer = JSONObject
}
