import JSON
import JourneyClient
import Orchestrate
import Testing

@Suite("A PingOneProtectEvaluationCallback")
struct PingOneProtectEvaluationCallbackTests {
    private static let evaluation = callback(
        "PingOneProtectEvaluationCallback", [output("pauseBehavioralData", "true")],
        inputs: ["IDToken1clientError", "IDToken1signals"])

    @Test func `shows whether collecting pauses`() throws {
        #expect(
            try shown(Self.evaluation)
                == #"{"id":"IDToken1clientError","type":"PingOneProtectEvaluationCallback","pauseBehavioralData":true,"answer":{"type":"object","properties":{"signals":{"type":"string","maxLength":65536},"clientError":{"type":"string","maxLength":8192}},"additionalProperties":false,"hidden":true}}"#
        )
    }

    @Test func `takes signals and an error`() throws {
        #expect(try sent(Self.evaluation, ["signals": "s"]) == #"["","s"]"#)
        #expect(try sent(Self.evaluation, ["clientError": "e"]) == #"["e",""]"#)
        #expect(try faults(Self.evaluation, ["signals": longText]) == [])
        #expect(try faults(Self.evaluation, ["signals": 5]) == [.wrongType])
        #expect(try faults(Self.evaluation, "s") == [.wrongType])
    }
}
