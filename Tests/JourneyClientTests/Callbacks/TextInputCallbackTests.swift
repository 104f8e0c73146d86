import JSON
import JourneyClient
import Orchestrate
import Testing

@Suite("A TextInputCallback")
struct TextInputCallbackTests {
    @Test func `begins with its default`() throws {
        let callback = callback("TextInputCallback", output("prompt", #""P""#) + "," + output("defaultText", #""D""#))
        #expect(
            try shown(callback)
                == #"{"id":"IDToken1","type":"TextInputCallback","prompt":"P","defaultText":"D","value":"D","answer":{"type":"string","title":"P","default":"D","maxLength":8192}}"#
        )
    }

    @Test func `begins empty where nothing is said`() throws {
        #expect(
            try shown(callback("TextInputCallback", output("prompt", "null")))
                == #"{"id":"IDToken1","type":"TextInputCallback","prompt":"","defaultText":"","value":"","answer":{"type":"string","maxLength":8192}}"#
        )
    }

    @Test func `takes a text that is not too long`() throws {
        #expect(try faults(callback("TextInputCallback"), longText) == [.tooLong])
        #expect(try faults(callback("TextInputCallback"), 1) == [.wrongType])
        #expect(try faults(callback("TextInputCallback"), "blue") == [])
    }
}
