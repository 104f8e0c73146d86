import JSON
import JourneyClient
import Orchestrate
import Testing

@Suite("A NameCallback")
struct NameCallbackTests {
    @Test func `shows label and value`() throws {
        let text = try shown(callback("NameCallback", output("prompt", #""User Name""#), input: #""demo""#))
        #expect(
            text
                == #"{"id":"IDToken1","type":"NameCallback","prompt":"User Name","value":"demo","answer":{"type":"string","title":"User Name","default":"demo","maxLength":8192,"autocomplete":"username"}}"#
        )
    }

    @Test func `takes a text that is not too long`() throws {
        let callback = callback("NameCallback")
        for answer: JSONValue in [5, nil, ["a"]] { #expect(try faults(callback, answer) == [.wrongType]) }
        #expect(try faults(callback, longText) == [.tooLong])
        #expect(try faults(callback, "demo") == [])
    }
}
