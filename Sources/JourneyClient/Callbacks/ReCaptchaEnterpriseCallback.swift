public import JSON
public import Orchestrate

/// Asks for the token of a reCAPTCHA Enterprise challenge.
public struct ReCaptchaEnterpriseCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "ReCaptchaEnterpriseCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// The site's key at the reCAPTCHA service.
    public let siteKey: String
    /// The address of the service's script; nil for an address without https, which pages should not load.
    public let apiURI: String?
    /// The class of the element that the script looks for.
    public let divClass: String

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        siteKey = raw.text("recaptchaSiteKey")
        let address = raw.text("captchaApiUri")
        apiURI = address.lowercased().hasPrefix("https://") ? address : nil
        divClass = raw.text("captchaDivClass")
    }

    /// The site's key, the address of the script, and the class of its element.
    public var members: JSONObject {
        var members: JSONObject = ["siteKey": .string(siteKey)]
        members["apiUri"] = apiURI.map { .string($0) }
        members["divClass"] = .string(divClass)
        return members
    }

    /// The token with its optional members, or an error that says why there is none.
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

    /// The reason to refuse an answer; nil when the answer can be sent.
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

    /// Fills the inputs that have an answer; the payload as JSON text.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {
        for name in ["token", "action", "clientError"] {
            if let value = answer[name] { inputs.set(raw.input(endingWith: name), value) }
        }
        if let payload = answer["payload"] { inputs.set(raw.input(endingWith: "payload"), .string(payload.text)) }
    }
}

extension ReCaptchaEnterpriseCallback: AnsweredCallback {
    /// An object with `token` or `clientError`, and optionally `action` and `payload`.
    public typealias Answer = JSONObject
}
