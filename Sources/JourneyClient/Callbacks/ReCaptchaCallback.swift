public import JSON
public import Orchestrate

/// Asks for the token of a reCAPTCHA challenge.
public struct ReCaptchaCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "ReCaptchaCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// The site's key at the reCAPTCHA service.
    public let siteKey: String

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        siteKey = raw.text("recaptchaSiteKey")
    }

    /// The site's key.
    public var members: JSONObject { ["siteKey": .string(siteKey)] }

    /// The token, which the service's script fills in.
    public var answerSchema: JSONObject? {
        AnswerSchema.hidden(AnswerSchema.text("", limit: AnswerCheck.longestToken))
    }

    /// The reason to refuse a token; nil when the token can be sent.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? { AnswerCheck.token(answer) }

    /// Fills the only input of the callback.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) { inputs.set(0, answer) }
}

extension ReCaptchaCallback: AnsweredCallback {
    /// The token from the service.
    public typealias Answer = String
}
