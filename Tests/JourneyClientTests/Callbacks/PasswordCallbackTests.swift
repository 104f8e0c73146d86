import JSON
import JourneyClient
import Testing

@Suite("A PasswordCallback")
struct PasswordCallbackTests {
    @Test func `shows its label and nothing that it came filled with`() throws {
        let text = try shown(callback("PasswordCallback", output("prompt", #""Password""#), input: #""s3cret""#))
        #expect(
            text
                == #"{"id":"IDToken1","type":"PasswordCallback","prompt":"Password","answer":{"type":"string","writeOnly":true}}"#
        )
    }

    @Test func `takes a text that is not too long`() throws {
        #expect(try faults(callback("PasswordCallback"), true) == [.wrongType])
        #expect(try faults(callback("PasswordCallback"), longText) == [.tooLong])
        #expect(try faults(callback("PasswordCallback"), "Ch4ng3it!") == [])
    }
}
