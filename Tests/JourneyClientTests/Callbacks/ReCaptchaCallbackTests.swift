import JSON
import JourneyClient
import Orchestrate
import Testing

@Suite("A ReCaptchaCallback")
struct ReCaptchaCallbackTests {
    private static let captcha = callback("ReCaptchaCallback", output("recaptchaSiteKey", #""k""#))

    @Test func `shows the key of the site`() throws {
        #expect(
            try shown(Self.captcha)
                == #"{"id":"IDToken1","type":"ReCaptchaCallback","siteKey":"k","answer":{"type":"string","maxLength":65536,"hidden":true}}"#
        )
    }

    @Test func `takes a token, which may be long`() throws {
        #expect(try sent(Self.captcha, "t") == #"["t"]"#)
        #expect(try faults(Self.captcha, longText) == [])
        #expect(try faults(Self.captcha, .string(String(repeating: "x", count: 65_537))) == [.tooLong])
        #expect(try faults(Self.captcha, ["token": "t"]) == [.wrongType])
    }
}
