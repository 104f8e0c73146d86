import JSON
import JourneyClient
import Orchestrate
import Testing

@Suite("A PasswordCallback")
struct PasswordCallbackTests {
    @Test func `shows its label and nothing that it came filled with`() throws {
        let text = try shown(callback("PasswordCallback", output("prompt", #""Password""#), input: #""s3cret""#))
        #expect(
            text
                == #"{"id":"IDToken1","type":"PasswordCallback","prompt":"Password","answer":{"type":"string","title":"Password","maxLength":8192,"writeOnly":true,"autocomplete":"current-password"}}"#
        )
    }

    @Test(arguments: [
        ("OneTimePasswordEmail", "one-time-code"), ("otp", "one-time-code"), ("UsernamePassword", "current-password"),
        ("one-time-code", "one-time-code"), ("OTPEmail", "one-time-code"), ("HOTPGenerator", "one-time-code"),
        ("login_otp2", "one-time-code"), ("onetime", "one-time-code"), ("EmailOtp", "one-time-code"),
        ("footprint", "current-password"), ("SaisieMotPasse", "current-password"), ("", "current-password"),
        ("someone", "current-password"), (#"{\"title\":\"otp\"}"#, "current-password"),
    ])
    func `is for a one-time code where the stage says so`(stage: String, autofill: String) throws {
        let page = try JourneyPage(
            JSONValue(parsing: #"{"authId":"a","stage":"\#(stage)","callbacks":[\#(callback("PasswordCallback"))]}"#))
        #expect(page.questions[0].answer?["autocomplete"] == .string(autofill))
    }

    @Test func `is for a new one where it is asked for twice`() throws {
        let page = try page(
            callback("PasswordCallback"), callback("PasswordCallback").replacing("IDToken1", with: "IDToken2"))
        #expect(page.questions.map { $0.answer?["autocomplete"] } == ["new-password", "new-password"])
    }

    @Test func `shows policies where it has some`() throws {
        let callback = callback(
            "PasswordCallback", output("policies", "{}") + "," + output("failedPolicies", #"["UNIQUE"]"#))
        let document = try JSONValue(parsing: shown(callback))
        #expect(document["policies"] == [:])
        #expect(document["failedPolicies"]?[0]?["message"] == "The value is taken already.")
    }

    @Test func `takes a text that is not too long`() throws {
        #expect(try faults(callback("PasswordCallback"), true) == [.wrongType])
        #expect(try faults(callback("PasswordCallback"), longText) == [.tooLong])
        #expect(try faults(callback("PasswordCallback"), "Ch4ng3it!") == [])
    }
}
