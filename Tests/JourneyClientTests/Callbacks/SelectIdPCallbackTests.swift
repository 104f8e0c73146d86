import JSON
import JourneyClient
import Orchestrate
import Testing

@Suite("A SelectIdPCallback")
struct SelectIdPCallbackTests {
    private static func selection(value: String = #""""#) -> String {
        callback(
            "SelectIdPCallback",
            [
                output(
                    "providers",
                    #"[{"provider":"harbour","uiConfig":{"buttonDisplayName":"Harbour","buttonClass":""}},{"provider":"localAuthentication"},{"odd":1},7]"#
                ), output("value", value),
            ], inputs: ["IDToken1"])
    }

    @Test func `shows the providers as received`() throws {
        #expect(
            try shown(Self.selection())
                == #"{"id":"IDToken1","type":"SelectIdPCallback","providers":[{"provider":"harbour","uiConfig":{"buttonDisplayName":"Harbour","buttonClass":""}},{"provider":"localAuthentication"}],"value":"","answer":{"type":"string","oneOf":[{"const":"harbour","title":"Harbour"},{"const":"localAuthentication","title":"Sign in without another provider"}]}}"#
        )
        let chosen = try JSONValue(parsing: shown(Self.selection(value: #""harbour""#)))
        #expect(chosen["value"] == "harbour" && chosen["answer"]?["default"] == "harbour")
        #expect(try JSONValue(parsing: shown(Self.selection(value: #""other""#)))["value"] == "")
    }

    @Test func `takes one of them, the local one included`() throws {
        #expect(try sent(Self.selection(), "localAuthentication") == #"["localAuthentication"]"#)
        #expect(try faults(Self.selection(), "other") == [.notOffered])
        #expect(try faults(Self.selection(), 0) == [.wrongType])
    }

    @Test func `shares its page with name and password`() throws {
        let page = try page(
            Self.selection(), callback("NameCallback").replacing("IDToken1", with: "IDToken2"),
            callback("PasswordCallback").replacing("IDToken1", with: "IDToken3"))
        let body = try page.body(answering: Answers(["IDToken2": "demo", "IDToken3": "p"]))
        #expect((body["callbacks"]?.array ?? []).map { $0["input"]?[0]?["value"] } == ["", "demo", "p"])
    }
}
