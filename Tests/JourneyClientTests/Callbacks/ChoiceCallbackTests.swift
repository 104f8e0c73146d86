import JSON
import JourneyClient
import Orchestrate
import Testing

@Suite("A ChoiceCallback")
struct ChoiceCallbackTests {
    private static let two = callback("ChoiceCallback", output("choices", #"["a","b"]"#))

    @Test func `shows its choices and the default as chosen`() throws {
        let callback = callback(
            "ChoiceCallback", output("choices", #"["red","green"]"#) + "," + output("defaultChoice", "1"))
        #expect(
            try shown(callback)
                == #"{"id":"IDToken1","type":"ChoiceCallback","prompt":"","choices":["red","green"],"defaultChoice":1,"value":1,"answer":{"type":"integer","oneOf":[{"const":0,"title":"red"},{"const":1,"title":"green"}],"default":1}}"#
        )
    }

    @Test func `shows the first where the default is none`() throws {
        let callback = callback(
            "ChoiceCallback", output("choices", #"["a","b"]"#) + "," + output("defaultChoice", "9"), input: "0")
        #expect(
            try shown(callback)
                == #"{"id":"IDToken1","type":"ChoiceCallback","prompt":"","choices":["a","b"],"defaultChoice":0,"value":0,"answer":{"type":"integer","oneOf":[{"const":0,"title":"a"},{"const":1,"title":"b"}],"default":0}}"#
        )
    }

    @Test func `takes a position that there is`() throws {
        for answer: JSONValue in [2, -1] { #expect(try faults(Self.two, answer) == [.notOffered]) }
        #expect(try faults(callback("ChoiceCallback", output("choices", "[]")), 0) == [.notOffered])
        #expect(try faults(Self.two, "0") == [.wrongType])
        #expect(try faults(Self.two, 1) == [])
    }

    @Test(arguments: [("1", "1"), ("1.0", "1"), ("1e0", "1")])
    func `sends a whole number`(answer: String, sent: String) throws {
        let body = try page(Self.two).body(answering: Answers(["IDToken1": try JSONValue(parsing: answer)]))
        #expect(body["callbacks"]?[0]?["input"]?[0]?["value"]?.text == sent)
    }
}
