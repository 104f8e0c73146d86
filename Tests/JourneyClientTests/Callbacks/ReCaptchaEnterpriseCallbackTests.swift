import JSON
import JourneyClient
import Orchestrate
import Testing

@Suite("A ReCaptchaEnterpriseCallback")
struct ReCaptchaEnterpriseCallbackTests {
    private static func captcha(
        _ address: String = "https://captcha.example.com/e.js",
        inputs: [String] = ["IDToken1token", "IDToken1action", "IDToken1clientError", "IDToken1payload"]
    ) -> String {
        callback(
            "ReCaptchaEnterpriseCallback",
            [
                output("captchaDivClass", #""g""#), output("captchaApiUri", #""\#(address)""#),
                output("recaptchaSiteKey", #""k""#),
            ], inputs: inputs)
    }

    @Test func `shows key, address and class`() throws {
        #expect(
            try shown(Self.captcha())
                == #"{"id":"IDToken1token","type":"ReCaptchaEnterpriseCallback","siteKey":"k","apiUri":"https://captcha.example.com/e.js","divClass":"g","answer":{"type":"object","properties":{"token":{"type":"string","maxLength":65536},"action":{"type":"string","maxLength":8192},"clientError":{"type":"string","maxLength":8192},"payload":{"type":"object"}},"additionalProperties":false,"anyOf":[{"required":["token"]},{"required":["clientError"]}],"hidden":true}}"#
        )
    }

    @Test(arguments: ["http://captcha.example.com/e.js", "javascript:alert(1)", "//captcha.example.com", ""])
    func `shows no address that a page should not load`(address: String) throws {
        #expect(try JSONValue(parsing: shown(Self.captcha(address)))["apiUri"] == nil)
    }

    @Test func `takes a token with what goes along, the payload as a text of JSON`() throws {
        let answer: JSONValue = ["token": "t", "action": "login", "payload": ["a": 1]]
        #expect(try sent(Self.captcha(), answer) == #"["t","login","","{\"a\":1}"]"#)
        #expect(try sent(Self.captcha(), ["clientError": "offline"]) == #"["","","offline",""]"#)
        // An older server has fewer inputs.
        #expect(try sent(Self.captcha(inputs: ["IDToken1token"]), answer) == #"["t"]"#)
    }

    @Test func `takes nothing else`() throws {
        #expect(try faults(Self.captcha(), [:]) == [.required])
        #expect(try faults(Self.captcha(), ["action": "login"]) == [.required])
        #expect(try faults(Self.captcha(), ["token": "t", "payload": "p"]) == [.wrongType])
        #expect(try faults(Self.captcha(), ["token": "t", "more": "p"]) == [.wrongType])
        #expect(try faults(Self.captcha(), "t") == [.wrongType])
    }
}
