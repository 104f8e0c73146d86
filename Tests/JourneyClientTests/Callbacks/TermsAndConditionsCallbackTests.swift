import JSON
import JourneyClient
import Orchestrate
import Testing

@Suite("A TermsAndConditionsCallback")
struct TermsAndConditionsCallbackTests {
    private static let terms = callback(
        "TermsAndConditionsCallback",
        [output("createDate", #""2026-01-01""#), output("terms", #""Be kind.""#), output("version", #""1.0""#)],
        inputs: ["IDToken1"])

    @Test func `shows the terms, which stand beside the question too`() throws {
        #expect(
            try shown(Self.terms)
                == #"{"id":"IDToken1","type":"TermsAndConditionsCallback","version":"1.0","terms":"Be kind.","createDate":"2026-01-01","answer":{"type":"boolean","title":"I accept the terms and conditions","default":false,"description":"Be kind."}}"#
        )
    }

    @Test func `takes a truth value`() throws {
        #expect(try sent(Self.terms, true) == "[true]")
        #expect(try sent(Self.terms, false) == "[false]")
        for answer: JSONValue in ["true", 1, ["value": true]] {
            #expect(try faults(Self.terms, answer) == [.wrongType])
        }
    }
}
