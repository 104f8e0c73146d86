import JSON
import JourneyClient
import Testing

@Suite("A ValidatedCreateUsernameCallback")
struct ValidatedCreateUsernameCallbackTests {
    private static func validated(policies: String, failed: String = "[]") -> String {
        #"{"type":"ValidatedCreateUsernameCallback","output":[{"name":"policies","value":\#(policies)},{"name":"failedPolicies","value":\#(failed)},{"name":"prompt","value":"Username"}],"input":[{"name":"IDToken1","value":"an"},{"name":"IDToken1validateOnly","value":false}]}"#
    }

    @Test(arguments: ["[]", "{}", #"[{"policyId":"unique"}]"#, #"{"policies":[{"policyId":"a"}]}"#])
    func `shows policies in all their forms and what was not met`(policies: String) throws {
        let failed =
            #"["{ \"params\": { \"minLength\": 3 }, \"policyRequirement\": \"MIN_LENGTH\" }",{"policyRequirement":"UNIQUE"},"odd",7]"#
        #expect(
            try shown(Self.validated(policies: policies, failed: failed))
                == #"{"id":"IDToken1","type":"ValidatedCreateUsernameCallback","prompt":"Username","policies":\#(policies),"failedPolicies":[{"policyRequirement":"MIN_LENGTH","params":{"minLength":3}},{"policyRequirement":"UNIQUE"},{"policyRequirement":"odd"},{"policyRequirement":"UNKNOWN"}],"validateOnly":false,"value":"an","answer":{"type":"object","properties":{"value":{"type":"string"},"validateOnly":{"type":"boolean"}},"required":["value"],"additionalProperties":false}}"#
        )
    }

    @Test func `takes the bare value where an older server has no validateOnly input`() throws {
        let callback = callback("ValidatedCreateUsernameCallback")
        #expect(
            try shown(callback)
                == #"{"id":"IDToken1","type":"ValidatedCreateUsernameCallback","prompt":"","failedPolicies":[],"validateOnly":false,"value":"","answer":{"type":"string"}}"#
        )
        #expect(try faults(callback, ["value": "x"]) == [.wrongType])
        #expect(try faults(callback, "x") == [])
    }

    @Test(arguments: [
        (#""x""#, AnswerProblem.Code.wrongType), ("{}", .required), (#"{"validateOnly":true}"#, .required),
        (#"{"value":5}"#, .wrongType), (#"{"value":"x","validateOnly":"yes"}"#, .wrongType),
        (#"{"value":"x","validateOnly":null}"#, .wrongType), (#"{"value":"x","more":1}"#, .wrongType),
    ])
    func `takes an object of exactly its members`(answer: String, code: AnswerProblem.Code) throws {
        #expect(try faults(Self.validated(policies: "[]"), try JSONValue(parsing: answer)) == [code])
        #expect(try faults(Self.validated(policies: "[]"), ["value": "x", "validateOnly": true]) == [])
    }
}
