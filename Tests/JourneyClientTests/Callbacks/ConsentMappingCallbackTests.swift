import JSON
import JourneyClient
import Orchestrate
import Testing

@Suite("A ConsentMappingCallback")
struct ConsentMappingCallbackTests {
    private static func consent(message: String) -> String {
        callback(
            "ConsentMappingCallback",
            [
                output("name", #""m""#), output("displayName", #""Mapping""#), output("icon", "null"),
                output("accessLevel", #""Actual Profile""#), output("isRequired", "true"),
                output("fields", #"["a",5,"b"]"#), output("message", message),
            ], inputs: ["IDToken1"])
    }

    @Test func `shows what is passed on, and the question`() throws {
        #expect(
            try shown(Self.consent(message: #""May we?""#))
                == #"{"id":"IDToken1","type":"ConsentMappingCallback","name":"m","displayName":"Mapping","icon":"","accessLevel":"Actual Profile","isRequired":true,"fields":["a","b"],"message":"May we?","answer":{"type":"boolean","title":"May we?","default":false}}"#
        )
        let bare = try JSONValue(parsing: shown(Self.consent(message: "null")))
        #expect(bare["answer"]?["title"] == "Mapping")
    }

    @Test func `takes a truth value, a refusal of what is required too`() throws {
        #expect(try sent(Self.consent(message: "5"), false) == "[false]")
        #expect(try sent(Self.consent(message: "5"), true) == "[true]")
        #expect(try faults(Self.consent(message: "5"), "yes") == [.wrongType])
    }
}
