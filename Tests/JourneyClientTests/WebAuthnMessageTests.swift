import JSON
import JourneyClient
import Orchestrate
import Testing

/// docs/protocol.md, 'Credentials of the browser': what OpenAM has in place of metadata.
@Suite("A wish for a credential of the browser that comes as a message")
struct WebAuthnMessageTests {
    private static let registration =
        #"{"rp":{"id":"am.example","name":"AM"},"user":{"id":"dTE=","name":"u1","displayName":"U"},"challenge":{"value":"+/+/"},"pubKeyCredParams":[{"type":"public-key","alg":-7}],"timeout":90000,"excludeCredentials":[{"type":"public-key","id":"AZs=","transports":["usb"]},{"type":"public-key"},5],"authenticatorSelection":{"requireResidentKey":true,"userVerification":"required"},"attestation":"direct"}"#
    private static let authentication =
        #"{"challenge":{"value":"+/+/"},"timeout":60000,"rpId":"am.example","allowCredentials":[],"userVerification":"preferred"}"#

    private static let password = callback("PasswordCallback", output("prompt", #""Credentials""#))

    private static func message(_ options: String, type: String = #""0""#) -> String {
        callback(
            "TextOutputCallback",
            output("message", JSONValue.string(options).text) + "," + output("messageType", type), input: nil)
    }

    private static func asked(_ options: String) throws -> JourneyPage { try page(password, message(options)) }

    private static let created: JSONValue = [
        "id": "AQ", "rawId": "AQ", "type": "public-key",
        "response": ["clientDataJSON": "e30", "attestationObject": "gP8A", "transports": ["usb"]],
    ]
    private static func got(_ handle: JSONValue?) -> JSONValue {
        var response: JSONObject = ["clientDataJSON": "e30", "authenticatorData": "gP8A", "signature": "AX8"]
        response["userHandle"] = handle
        return ["id": "AQ", "rawId": "AQ", "type": "public-key", "response": .object(response)]
    }

    private func sent(_ options: String, _ answer: JSONValue) throws -> String? {
        let page = try Self.asked(options)
        let body = try page.body(answering: Answers(["TextOutputCallback-1": answer]))
        return body["callbacks"]?[0]?["input"]?[0]?["value"]?.string
    }

    @Test func `is one question in place of the password and the message`() throws {
        for options in [Self.registration, Self.authentication] {
            let page = try Self.asked(options)
            #expect(page.questions.map(\.id) == ["TextOutputCallback-1"])
            #expect(page.questions[0].members["message"] == "")
            #expect(page.validate(Answers(["IDToken1": "x"])).map(\.code) == [.unknownQuestion])
            let text = try #require(page.callbacks[1] as? TextOutputCallback)
            #expect(text.webAuthn?.challengeIsSession == true)
        }
        #expect(try Self.asked(Self.registration).questions[0].answer?["properties"]?["deviceName"] == nil)
    }

    @Test func `has the options as browsers parse them`() throws {
        #expect(
            try Self.asked(Self.registration).questions[0].members["publicKey"]?.text
                == #"{"rp":{"name":"AM","id":"am.example"},"user":{"id":"dTE","name":"u1","displayName":"U"},"challenge":"-_-_","pubKeyCredParams":[{"type":"public-key","alg":-7}],"excludeCredentials":[{"type":"public-key","id":"AZs","transports":["usb"]}],"authenticatorSelection":{"requireResidentKey":true,"userVerification":"required"},"attestation":"direct","timeout":90000}"#
        )
        #expect(
            try Self.asked(Self.authentication).questions[0].members["publicKey"]?.text
                == #"{"challenge":"-_-_","rpId":"am.example","allowCredentials":[],"userVerification":"preferred","timeout":60000}"#
        )
    }

    @Test func `sends the parts as they came, under the names of AM's own page`() throws {
        #expect(
            try sent(Self.registration, ["credential": Self.created])
                == #"{"credentialId":"AQ","attestationObject":"gP8A","clientDataJSON":"e30"}"#)
        #expect(
            try sent(Self.authentication, ["credential": Self.got("dTE")])
                == #"{"assertionId":"AQ","authenticatorData":"gP8A","clientDataJSON":"e30","signature":"AX8","userHandle":"dTE"}"#
        )
        for none in [nil, JSONValue.null, ""] {
            #expect(
                try sent(Self.authentication, ["credential": Self.got(none)])?.hasSuffix(#","userHandle":""}"#) == true)
        }
        #expect(try sent(Self.authentication, ["unsupported": true]) == "unsupported")
        #expect(try sent(Self.registration, ["error": ["name": "AbortError"]]) == "ERROR::AbortError:")
    }

    @Test func `takes no name for the device, which has no place`() throws {
        let page = try Self.asked(Self.registration)
        let answer: JSONValue = ["credential": Self.created, "deviceName": "mine"]
        #expect(page.validate(Answers(["TextOutputCallback-1": answer])).map(\.code) == [.wrongType])
    }

    @Test func `is a message like any other where there is no challenge`() throws {
        for options in ["{}", "{", "{\"rpId\":\"a\"}"] {
            let page = try Self.asked(options)
            #expect(page.questions.map(\.id) == ["IDToken1", "TextOutputCallback-1"])
            #expect(page.questions[1].members["message"] == .string(options) && page.questions[1].answer == nil)
        }
    }

    @Test func `is not shown where it is no JSON for us and may be for others`() throws {
        let (options, next) = (Self.authentication, #","rpId":"b"}"#)
        for text in [
            options.dropLast() + next, "\u{FEFF}" + options, "\u{A0}" + options, options + " and more",
            options.dropLast() + #","name":"\ud800"}"#, #"{"ch\u0061llenge":"AQID"}"#,
        ] { #expect(try Self.asked(String(text)).questions.map(\.id) == ["IDToken1"], "\(text)") }
        for text in [#"a {"challenge":1}"#, #"{"challenges":1}"#, "challenge"] {
            #expect(try Self.asked(text).questions.map(\.id) == ["IDToken1", "TextOutputCallback-1"], "\(text)")
        }
    }

    @Test func `is not shown where nobody can use it: the challenge may be the provider session`() throws {
        for options in [
            #"{"challenge":{"value":""},"rpId":"a"}"#, #"{"challenge":{"value":"AQID"}}"#,
            #"{"challenge":"AQID","rpId":"a"}"#, " {\"challenge\":{\"value\":\"AQID\"},\"rpId\":\"a\"}",
        ] { #expect(try Self.asked(options).questions.map(\.id) == ["IDToken1"]) }
        let second = Self.password.replacing("IDToken1", with: "IDToken3")
        for page in [
            try page(Self.message(Self.authentication)),
            try page(Self.password, Self.message(Self.authentication), second),
        ] { #expect(page.questions.allSatisfy { $0.id.hasPrefix("IDToken") }) }
        let script = try page(Self.password, Self.message(Self.authentication, type: #""4""#))
        #expect(script.questions.map(\.id) == ["IDToken1"])
    }
}
