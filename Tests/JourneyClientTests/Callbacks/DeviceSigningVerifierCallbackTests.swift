import JSON
import JourneyClient
import Orchestrate
import Testing

@Suite("A DeviceSigningVerifierCallback")
struct DeviceSigningVerifierCallbackTests {
    private static let signing = callback(
        "DeviceSigningVerifierCallback",
        [output("userId", #""id=demo""#), output("challenge", #""canary""#), output("title", #""Approve""#)],
        inputs: ["IDToken1jws", "IDToken1clientError"])

    @Test func `shows all but the challenge`() throws {
        let document = try JSONValue(parsing: shown(Self.signing))
        #expect(document["nativeOnly"] == true && document["timeout"] == 60 && document["title"] == "Approve")
        #expect(document["answer"]?["properties"]?["clientError"]?["default"] == "Unsupported")
        #expect(!document.text.contains("canary"))
    }

    @Test func `takes an error of four and nothing else`() throws {
        #expect(try sent(Self.signing, ["clientError": "ClientNotRegistered"]) == #"["","ClientNotRegistered"]"#)
        #expect(try faults(Self.signing, ["clientError": "unsupported"]) == [.notOffered])
        #expect(try faults(Self.signing, "Unsupported") == [.wrongType])
    }
}
