import JSON
import JourneyClient
import Testing

@Suite("A callback that the server does not know")
struct UnsupportedCallbackTests {
    @Test func `is shown as such, with the provider's name of its type and all that it brought`() throws {
        let callback = callback("UnheardOfCallback", output("a", "1.50"), input: "null")
        #expect(
            try shown(callback)
                == #"{"id":"IDToken1","type":"UnsupportedCallback","providerType":"UnheardOfCallback","outputs":{"a":1.50},"raw":{"type":"UnheardOfCallback","output":[{"name":"a","value":1.50}],"input":[{"name":"IDToken1","value":null}]}}"#
        )
    }

    @Test(arguments: ["", "UnsupportedCallback"])
    func `has whatever name the provider gives it`(name: String) throws {
        let document = try JSONValue(parsing: shown(callback(name)))
        #expect(document["type"] == "UnsupportedCallback" && document["providerType"] == .string(name))
    }

    @Test func `takes no answer`() throws {
        #expect(try faults(callback("UnheardOfCallback"), "x") == [.notAnswerable])
    }
}
