import JSON
import JourneyClient
import Orchestrate
import Testing

@Suite("A NumberAttributeInputCallback")
struct NumberAttributeInputCallbackTests {
    private static func attribute(value: String, failed: String = "[]", flag: Bool = true) -> String {
        let check = flag ? #",{"name":"IDToken1validateOnly","value":false}"# : ""
        return
            #"{"type":"NumberAttributeInputCallback","output":[{"name":"name","value":"age"},{"name":"prompt","value":"Age"},{"name":"required","value":true},{"name":"policies","value":{}},{"name":"failedPolicies","value":\#(failed)},{"name":"validateOnly","value":false},{"name":"value","value":\#(value)}],"input":[{"name":"IDToken1","value":\#(value)}\#(check)]}"#
    }

    @Test(arguments: [("17", "17"), ("1.50", "1.50"), ("null", "null"), (#""""#, "null")])
    func `shows the attribute, and its number as it was written`(value: String, begins: String) throws {
        let failed = #"["{ \"policyRequirement\": \"MINIMUM_NUMBER_VALUE\" }"]"#
        #expect(
            try shown(Self.attribute(value: value, failed: failed))
                == #"{"id":"IDToken1","type":"NumberAttributeInputCallback","name":"age","required":true,"prompt":"Age","policies":{},"failedPolicies":[{"requirement":"MINIMUM_NUMBER_VALUE","params":{},"message":"The number is too small."}],"validateOnly":false,"value":\#(begins),"answer":{"type":"object","properties":{"value":{"type":"number","title":"Age"\#(begins == "null" ? "" : ",\"default\":" + begins)},"validateOnly":{"type":"boolean","default":false,"hidden":true}},"required":["value"],"additionalProperties":false}}"#
        )
    }

    @Test(arguments: [
        (#"{"value":"17"}"#, AnswerProblem.Code.wrongType), (#"{"value":null}"#, .wrongType),
        (#"{"value":true}"#, .wrongType), ("{}", .required), ("17", .wrongType), (#"{"value":1,"more":2}"#, .wrongType),
    ])
    func `takes a number and nothing else`(answer: String, code: AnswerProblem.Code) throws {
        #expect(try faults(Self.attribute(value: "null"), try JSONValue(parsing: answer)) == [code])
        let right = try JSONValue(parsing: #"{"value":18.5,"validateOnly":true}"#)
        #expect(try faults(Self.attribute(value: "null"), right) == [])
        let infinite = try JSONValue(parsing: #"{"value":1e999}"#)
        #expect(try faults(Self.attribute(value: "null"), infinite) == [.outOfRange])
    }

    @Test func `takes the bare number where an older server has no validateOnly input`() throws {
        #expect(try faults(Self.attribute(value: "17", flag: false), 18) == [])
        #expect(try faults(Self.attribute(value: "17", flag: false), ["value": 18]) == [.wrongType])
    }
}
