import JSON
import JourneyClient
import Orchestrate
import Testing

@Suite("A LanguageCallback")
struct LanguageCallbackTests {
    private static let both = callback("LanguageCallback", [], inputs: ["IDToken1Language", "IDToken1Country"])

    @Test func `shows what is set now`() throws {
        #expect(
            try shown(Self.both)
                == #"{"id":"IDToken1Language","type":"LanguageCallback","language":"","country":"","answer":{"type":"object","properties":{"language":{"type":"string","title":"language","maxLength":8192},"country":{"type":"string","title":"country","maxLength":8192}},"required":["language","country"],"additionalProperties":false}}"#
        )
    }

    @Test func `takes both where there is a place for them`() throws {
        #expect(try sent(Self.both, ["language": "de", "country": "CH"]) == #"["de","CH"]"#)
        #expect(try faults(Self.both, ["language": "de"]) == [.required])
        #expect(try faults(Self.both, "de") == [.wrongType])
        let one = callback("LanguageCallback", [], inputs: ["IDToken1Language"])
        #expect(try sent(one, ["language": "de"]) == #"["de"]"#)
        #expect(try faults(one, ["language": "de", "country": "CH"]) == [.wrongType])
    }

    @Test func `takes no answer where it has no inputs`() throws {
        let bare = callback("LanguageCallback", input: nil)
        #expect(try shown(bare) == #"{"id":"LanguageCallback-0","type":"LanguageCallback"}"#)
        #expect(try faults(bare, ["language": "de"]) == [.notAnswerable])
        // The names of inputs are compared as they are written.
        let small = callback("LanguageCallback", [], inputs: ["IDToken1language"])
        #expect(try faults(small, ["language": "de"]) == [.notAnswerable])
    }
}
