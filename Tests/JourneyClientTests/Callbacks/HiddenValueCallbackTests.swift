import JSON
import JourneyClient
import Orchestrate
import Testing

@Suite("A HiddenValueCallback")
struct HiddenValueCallbackTests {
    @Test func `shows its name and value`() throws {
        let callback = callback(
            "HiddenValueCallback", output("value", #""v""#) + "," + output("id", #""corr""#), input: #""corr""#)
        #expect(
            try shown(callback)
                == #"{"id":"IDToken1","type":"HiddenValueCallback","hiddenId":"corr","value":"v","answer":{"type":"string","maxLength":65536,"hidden":true}}"#
        )
    }

    @Test func `takes a text that may be longer than others`() throws {
        let callback = callback("HiddenValueCallback")
        #expect(try faults(callback, .string(String(repeating: "x", count: 65_537))) == [.tooLong])
        #expect(try faults(callback, longText) == [])
        #expect(try faults(callback, [:]) == [.wrongType])
    }

    @Test(arguments: ["otpauth://totp/Quay:ebb?secret=ABC", "pushauth://push/Quay:ebb?a=b"])
    func `is to be drawn as a QR code where an authenticator app reads it, whatever its name`(uri: String) throws {
        let document = try JSONValue(parsing: shown(callback("HiddenValueCallback", output("value", #""\#(uri)""#))))
        #expect(document["specialised"] == "qr_code" && document["uri"] == .string(uri))
        let other = callback("HiddenValueCallback", output("value", #""https://otpauth://""#))
        #expect(try JSONValue(parsing: shown(other))["uri"] == nil)
    }
}
