import JSON
import JourneyClient
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
}
