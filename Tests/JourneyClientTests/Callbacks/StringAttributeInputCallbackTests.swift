import JSON
import JourneyClient
import Orchestrate
import Testing

@Suite("A StringAttributeInputCallback")
struct StringAttributeInputCallbackTests {
    private static func attribute(_ name: String, value: String = #""""#, flag: Bool = true) -> String {
        callback(
            "StringAttributeInputCallback",
            [
                output("failedPolicies", #"[{"policyRequirement":"VALID_EMAIL_ADDRESS_FORMAT"}]"#),
                output("value", value), output("required", "true"), output("name", #""\#(name)""#),
                output("prompt", #""P""#),
            ], inputs: flag ? ["IDToken1", "IDToken1validateOnly"] : ["IDToken1"])
    }

    @Test func `shows the attribute and what it begins with, outputs in any order`() throws {
        #expect(
            try shown(Self.attribute("mail", value: #""a@b.c""#))
                == #"{"id":"IDToken1","type":"StringAttributeInputCallback","name":"mail","required":true,"prompt":"P","failedPolicies":[{"requirement":"VALID_EMAIL_ADDRESS_FORMAT","params":{},"message":"The value is no valid e-mail address."}],"validateOnly":false,"value":"a@b.c","answer":{"type":"object","properties":{"value":{"type":"string","title":"P","default":"a@b.c","maxLength":8192,"autocomplete":"email","format":"email"},"validateOnly":{"type":"boolean","default":false,"hidden":true}},"required":["value"],"additionalProperties":false}}"#
        )
    }

    @Test func `says what browsers may fill in, where the attribute tells`() throws {
        func autofill(_ name: String) throws -> JSONValue? {
            try JSONValue(parsing: shown(Self.attribute(name, flag: false)))["answer"]?["autocomplete"]
        }
        #expect(try autofill("telephoneNumber") == "tel")
        #expect(try autofill("userName") == "username")
        #expect(try autofill("givenName") == nil)
    }

    @Test func `takes a text, also an empty one of a required attribute, and nothing else`() throws {
        #expect(try sent(Self.attribute("sn"), ["value": "", "validateOnly": true]) == #"["",true]"#)
        #expect(try sent(Self.attribute("sn"), ["value": "x"]) == #"["x",false]"#)
        #expect(try sent(Self.attribute("sn", flag: false), "x") == #"["x"]"#)
        #expect(try faults(Self.attribute("sn"), "x") == [.wrongType])
        #expect(try faults(Self.attribute("sn"), ["value": 5]) == [.wrongType])
        #expect(try faults(Self.attribute("sn"), ["value": longText]) == [.tooLong])
        #expect(try faults(Self.attribute("sn", flag: false), ["value": "x"]) == [.wrongType])
    }
}
