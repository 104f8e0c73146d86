import JSON
import JourneyClient
import Orchestrate
import Testing

@Suite("A ValidatedCreatePasswordCallback")
struct ValidatedCreatePasswordCallbackTests {
    private static func validated(_ inputs: String) -> String {
        #"{"type":"ValidatedCreatePasswordCallback","output":[{"name":"echoOn","value":true},{"name":"prompt","value":"Password"}],"input":[\#(inputs)]}"#
    }

    private static let value = #"{"name":"IDToken1","value":"canary"}"#
    private static let flag = #"{"name":"IDToken1validateOnly","value":true}"#

    @Test func `shows nothing that it came filled with`() throws {
        #expect(
            try shown(Self.validated("\(Self.value),\(Self.flag)"))
                == #"{"id":"IDToken1","type":"ValidatedCreatePasswordCallback","prompt":"Password","failedPolicies":[],"validateOnly":false,"echoOn":true,"answer":{"type":"object","properties":{"value":{"type":"string","title":"Password","maxLength":8192,"writeOnly":true,"autocomplete":"new-password"},"validateOnly":{"type":"boolean","default":false,"hidden":true}},"required":["value"],"additionalProperties":false}}"#
        )
        #expect(
            try shown(Self.validated(Self.value))
                == #"{"id":"IDToken1","type":"ValidatedCreatePasswordCallback","prompt":"Password","failedPolicies":[],"validateOnly":false,"echoOn":true,"answer":{"type":"string","title":"Password","maxLength":8192,"writeOnly":true,"autocomplete":"new-password"}}"#
        )
    }

    @Test func `takes a text, in an object where there is a flag`() throws {
        #expect(try faults(Self.validated("\(Self.value),\(Self.flag)"), "x") == [.wrongType])
        #expect(try faults(Self.validated("\(Self.value),\(Self.flag)"), [:]) == [.required])
        #expect(try faults(Self.validated(Self.value), longText) == [.tooLong])
        #expect(try faults(Self.validated(Self.value), "x") == [])
    }

    @Test func `finds its place also where the flag comes first, and goes on unless told not to`() throws {
        for (inputs, id) in [
            ("\(Self.flag),\(Self.value)", "IDToken1validateOnly"), ("\(Self.value),\(Self.flag)", "IDToken1"),
        ] {
            let body = try page(Self.validated(inputs)).body(answering: Answers([id: ["value": "x"]]))
            let sent = inputs.replacing("canary", with: "x").replacing("true", with: "false")
            #expect(body["callbacks"]?[0]?["input"]?.text == "[\(sent)]")
        }
    }
}
