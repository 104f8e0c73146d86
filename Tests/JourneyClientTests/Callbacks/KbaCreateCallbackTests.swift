import JSON
import JourneyClient
import Orchestrate
import Testing

@Suite("A KbaCreateCallback")
struct KbaCreateCallbackTests {
    private static func question(_ own: String = "null") -> String {
        callback(
            "KbaCreateCallback",
            [
                output("allowUserDefinedQuestions", own), output("prompt", #""Choose""#),
                output("predefinedQuestions", #"["Color?","Employer?"]"#),
            ], inputs: ["IDToken1question", "IDToken1answer"])
    }

    @Test func `shows its questions, and takes no others where nothing is said`() throws {
        #expect(
            try shown(Self.question())
                == #"{"id":"IDToken1question","type":"KbaCreateCallback","prompt":"Choose","predefinedQuestions":["Color?","Employer?"],"allowUserDefinedQuestions":false,"answer":{"type":"object","properties":{"question":{"type":"string","title":"Choose","oneOf":[{"const":"Color?","title":"Color?"},{"const":"Employer?","title":"Employer?"}]},"answer":{"type":"string","title":"Answer","maxLength":8192,"writeOnly":true}},"required":["question","answer"],"additionalProperties":false}}"#
        )
        #expect(try faults(Self.question(), ["question": "Mine?", "answer": "x"]) == [.notOffered])
        #expect(try sent(Self.question(), ["question": "Color?", "answer": "blue"]) == #"["Color?","blue"]"#)
    }

    @Test func `takes a question of one's own where that is allowed`() throws {
        let question = try JSONValue(parsing: shown(Self.question("true")))["answer"]?["properties"]?["question"]
        #expect(
            question?.text
                == #"{"type":"string","title":"Choose","maxLength":8192,"examples":["Color?","Employer?"]}"#)
        #expect(try sent(Self.question("true"), ["question": "Mine?", "answer": ""]) == #"["Mine?",""]"#)
    }

    @Test func `takes both`() throws {
        #expect(try faults(Self.question(), ["question": "Color?"]) == [.required])
        #expect(try faults(Self.question(), ["answer": "blue"]) == [.required])
        #expect(try faults(Self.question(), ["question": "Color?", "answer": 5]) == [.wrongType])
        #expect(try faults(Self.question(), "blue") == [.wrongType])
        #expect(try faults(Self.question(), [:]) == [.required, .required])
    }
}
