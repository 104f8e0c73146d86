import JSON
import JourneyClient
import Orchestrate
import Testing

@Suite("A BooleanAttributeInputCallback")
struct BooleanAttributeInputCallbackTests {
    private static func attribute(value: String, flag: Bool = true) -> String {
        callback(
            "BooleanAttributeInputCallback",
            [output("name", #""preferences/updates""#), output("prompt", #""News""#), output("value", value)],
            inputs: flag ? ["IDToken1", "IDToken1validateOnly"] : ["IDToken1"])
    }

    @Test(arguments: [("true", "true"), ("false", "false"), ("null", "false"), (#""true""#, "false")])
    func `shows the attribute and what it begins with`(value: String, begins: String) throws {
        #expect(
            try shown(Self.attribute(value: value, flag: false))
                == #"{"id":"IDToken1","type":"BooleanAttributeInputCallback","name":"preferences/updates","required":false,"prompt":"News","failedPolicies":[],"validateOnly":false,"value":\#(begins),"answer":{"type":"boolean","title":"News","default":\#(begins)}}"#
        )
    }

    @Test func `takes a truth value and nothing else`() throws {
        #expect(try sent(Self.attribute(value: "false"), ["value": true]) == "[true,false]")
        #expect(try sent(Self.attribute(value: "true", flag: false), false) == "[false]")
        for answer: JSONValue in ["true", 1, nil] {
            #expect(try faults(Self.attribute(value: "true"), ["value": answer]) == [.wrongType])
        }
        #expect(try faults(Self.attribute(value: "true"), [:]) == [.required])
    }
}
