public import JSON
public import Orchestrate

/// Asks the page to recognise a person by PingOne Recognize, or to enrol a person.
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

    /// The parameters that the program of the page needs.
    public var members: JSONObject { request.document }

    /// The result of the program, or the error that says why there is none.
    public var answerSchema: JSONObject? { request.answer.schema }

    /// The reason to refuse an answer; nil when the answer can be sent.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? { request.answer.refusal(of: answer) }

    /// Fills the inputs that have an answer; older servers name the input of the id `keylessId`.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {
        request.answer.fill(answer, raw, &inputs)
        if let id = answer["recognizeId"] { inputs.set(raw.input(endingWith: "keylessId"), id) }
    }
}

extension PingOneRecognizeCallback: AnsweredCallback {
    /// An object with the program's result or its error.
    ///
    /// A result has `signedJwt`, `recognizeId` (optional in an authentication) and optionally `clientState`; an error
    /// has `clientError` and optionally `clientErrorCode`.
    public typealias Answer = JSONObject
}
