import JSON
import JourneyClient
import Orchestrate
import Testing

@Suite("A callback that the server does not know")
struct UnsupportedCallbackTests {
    private static func hologram(_ inputs: String) -> String {
        #"{"type":"HologramCallback","output":[],"input":[\#(inputs)]}"#
    }

    @Test func `is shown as such, with the provider's name of its type and all that it brought`() throws {
        let callback = callback("UnheardOfCallback", output("a", "1.50"), input: "null")
        #expect(
            try shown(callback)
                == #"{"id":"IDToken1","type":"UnsupportedCallback","providerType":"UnheardOfCallback","outputs":{"a":1.50},"raw":{"type":"UnheardOfCallback","output":[{"name":"a","value":1.50}],"input":[{"name":"IDToken1","value":null}]},"answer":{"type":"object","properties":{"IDToken1":{"type":"string","title":"IDToken1","maxLength":65536}},"required":["IDToken1"],"additionalProperties":false}}"#
        )
    }

    @Test(arguments: ["", "UnsupportedCallback"])
    func `has whatever name the provider gives it`(name: String) throws {
        let document = try JSONValue(parsing: shown(callback(name)))
        #expect(document["type"] == "UnsupportedCallback" && document["providerType"] == .string(name))
    }

    @Test func `takes a value for each of its inputs, all of them together`() throws {
        let callback = Self.hologram(
            #"{"name":"IDToken1pattern","value":"p"},{"name":"IDToken1depth","value":1.0},{"name":"IDToken1wave","value":false}"#
        )
        let properties = try JSONValue(parsing: shown(callback))["answer"]?["properties"]
        #expect(properties?["IDToken1pattern"]?["default"] == "p")
        #expect(properties?["IDToken1depth"]?.text == #"{"type":"number","title":"IDToken1depth","default":1.0}"#)
        #expect(properties?["IDToken1wave"]?["type"] == "boolean")
        let answer: JSONValue = ["IDToken1pattern": "q", "IDToken1depth": 2, "IDToken1wave": true]
        #expect(try sent(callback, answer) == #"["q",2,true]"#)
        #expect(try faults(callback, ["IDToken1pattern": "q", "IDToken1depth": 2]) == [.required])
        #expect(try faults(callback, "x") == [.wrongType])
        #expect(
            try faults(callback, ["IDToken1pattern": 1, "IDToken1depth": 2, "IDToken1wave": true]) == [.wrongType])
        #expect(
            try faults(callback, ["idtoken1pattern": "q"]) == [.wrongType, .required, .required, .required])
    }

    @Test(arguments: [
        "", #"{"name":"IDToken1","value":{"a":1}}"#, #"{"name":"IDToken1","value":[]}"#,
        #"{"name":"IDToken1","value":""},{"name":"IDToken1","value":""}"#, #"{"value":""}"#, #"5"#,
    ])
    func `takes no answer where no page could give one`(inputs: String) throws {
        #expect(try JSONValue(parsing: shown(Self.hologram(inputs)))["answer"] == nil)
        #expect(try faults(Self.hologram(inputs), ["IDToken1": "x"]) == [.notAnswerable])
    }

    @Test(arguments: ["accessToken", "clientSecret", "Password", "deviceId", "id", "device_id"])
    func `does not show what an input came filled with whose name says that it is secret`(suffix: String) throws {
        let callback = Self.hologram(
            #"{"name":"IDToken1\#(suffix)","value":"canary"},{"name":"IDToken1idea","value":"seen"}"#)
        let text = try shown(callback)
        #expect(!text.contains("canary") && text.contains("seen"))
        let properties = try JSONValue(parsing: text)["answer"]?["properties"]
        #expect(properties?["IDToken1\(suffix)"]?["writeOnly"] == true)
        #expect(properties?["IDToken1idea"]?["writeOnly"] == nil)
        let page = try page(callback)
        #expect(try page.body(answering: Answers())["callbacks"]?[0]?["input"]?[0]?["value"] == "canary")
    }
}
