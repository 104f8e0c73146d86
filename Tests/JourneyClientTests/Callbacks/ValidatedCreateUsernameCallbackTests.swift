import JSON
import JourneyClient
import Orchestrate
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
                == #"{"id":"IDToken1","type":"ValidatedCreateUsernameCallback","prompt":"Username","policies":\#(policies),"failedPolicies":[{"requirement":"MIN_LENGTH","params":{"minLength":3},"message":"The value needs 3 characters or more."},{"requirement":"UNIQUE","params":{},"message":"The value is taken already."},{"requirement":"odd","params":{},"message":"The requirement odd is not met."},{"requirement":"UNKNOWN","params":{},"message":"The requirement UNKNOWN is not met."}],"validateOnly":false,"value":"an","answer":{"type":"object","properties":{"value":{"type":"string","title":"Username","default":"an","maxLength":8192,"autocomplete":"username"},"validateOnly":{"type":"boolean","default":false,"hidden":true}},"required":["value"],"additionalProperties":false}}"#
        )
    }

    @Test func `takes the bare value where an older server has no validateOnly input`() throws {
        let callback = callback("ValidatedCreateUsernameCallback")
        #expect(
            try shown(callback)
                == #"{"id":"IDToken1","type":"ValidatedCreateUsernameCallback","prompt":"","failedPolicies":[],"validateOnly":false,"value":"","answer":{"type":"string","maxLength":8192,"autocomplete":"username"}}"#
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
