public import JSON
public import Orchestrate

/// Asks for the token of a reCAPTCHA.
public struct ReCaptchaCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "ReCaptchaCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// The key of the site at the service.
    public let siteKey: String

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        siteKey = raw.text("recaptchaSiteKey")
    }

    /// The key of the site.
    public var members: JSONObject { ["siteKey": .string(siteKey)] }

    /// The token, which the service's program fills in.
    public var answerSchema: JSONObject? {
        AnswerSchema.hidden(AnswerSchema.text("", limit: AnswerCheck.longestToken))
    }

    /// What is wrong with a token.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? { AnswerCheck.token(answer) }

    /// Fills the one input.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) { inputs.set(0, answer) }
}

extension ReCaptchaCallback: AnsweredCallback {
    /// The token that the service gave.
    public typealias Answer = String
}
