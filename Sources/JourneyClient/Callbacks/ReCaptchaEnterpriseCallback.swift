public import JSON
public import Orchestrate

/// Asks for the token of a reCAPTCHA Enterprise.
public struct ReCaptchaEnterpriseCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "ReCaptchaEnterpriseCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// The key of the site at the service.
    public let siteKey: String
    /// Where the page gets the service's program; nil for an address without https, which no page should load.
    public let apiURI: String?
    /// The class of the element that the program looks for.
    public let divClass: String

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        siteKey = raw.text("recaptchaSiteKey")
        let address = raw.text("captchaApiUri")
        apiURI = address.lowercased().hasPrefix("https://") ? address : nil
        divClass = raw.text("captchaDivClass")
    }

    /// The key, where the program is, and its class.
    public var members: JSONObject {
        var members: JSONObject = ["siteKey": .string(siteKey)]
        members["apiUri"] = apiURI.map { .string($0) }
        members["divClass"] = .string(divClass)
        return members
    }

    /// The token with what goes along, or why there is none.
    public var answerSchema: JSONObject? {
        let token = AnswerSchema.text("", limit: AnswerCheck.longestToken)
        let text = JSONValue.object(AnswerSchema.text(""))
        let members: JSONObject = [
            "token": .object(token), "action": text, "clientError": text, "payload": ["type": "object"],
        ]
        var schema = AnswerSchema.object(members, required: [])
        schema["required"] = nil
        schema["anyOf"] = [["required": ["token"]], ["required": ["clientError"]]]
        return AnswerSchema.hidden(schema)
    }

    /// What is wrong with an answer.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? {
        AnswerCheck.object(
            answer,
            [
                "token": { answer["clientError"] != nil && $0 == nil ? nil : AnswerCheck.token($0) },
                "action": AnswerCheck.optional { AnswerCheck.text($0) },
                "clientError": AnswerCheck.optional { AnswerCheck.text($0) },
                "payload": AnswerCheck.optional { AnswerCheck.document($0) },
            ])
    }

    /// Fills the inputs that there are; the payload as a text of JSON.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {
        for name in ["token", "action", "clientError"] {
            if let value = answer[name] { inputs.set(raw.input(endingWith: name), value) }
        }
        if let payload = answer["payload"] { inputs.set(raw.input(endingWith: "payload"), .string(payload.text)) }
    }
}

extension ReCaptchaEnterpriseCallback: AnsweredCallback {
    /// `token`, and `action`, `clientError` and `payload`, which may be missing.
    public typealias Answer = JSONObject
}
