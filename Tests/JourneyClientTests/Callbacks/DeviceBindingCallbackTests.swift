import JSON
import JourneyClient
import Orchestrate
import Testing

@Suite("A DeviceBindingCallback")
struct DeviceBindingCallbackTests {
    private static let binding = callback(
        "DeviceBindingCallback",
        [
            output("userId", #""id=demo""#), output("username", #""demo""#),
            output("authenticationType", #""BIOMETRIC_ONLY""#), output("challenge", #""canary""#),
            output("title", #""T""#), output("subtitle", "null"), output("description", #""D""#),
            output("timeout", #""30""#), output("attestation", "true"),
        ], inputs: ["IDToken1jws", "IDToken1deviceName", "IDToken1deviceId", "IDToken1clientError"])

    @Test func `shows all but the challenge, and a default that lets the journey branch`() throws {
        #expect(
            try shown(Self.binding)
                == #"{"id":"IDToken1jws","type":"DeviceBindingCallback","nativeOnly":true,"userId":"id=demo","username":"demo","authenticationType":"BIOMETRIC_ONLY","title":"T","subtitle":"","description":"D","timeout":30,"attestation":true,"answer":{"type":"object","properties":{"clientError":{"type":"string","oneOf":[{"const":"Unsupported","title":"Unsupported"},{"const":"Timeout","title":"Timeout"},{"const":"Abort","title":"Abort"},{"const":"ClientNotRegistered","title":"ClientNotRegistered"}],"default":"Unsupported"}},"required":["clientError"],"additionalProperties":false,"hidden":true}}"#
        )
    }

    @Test func `takes an error of four and nothing else`() throws {
        #expect(try sent(Self.binding, ["clientError": "Unsupported"]) == #"["","","","Unsupported"]"#)
        #expect(try faults(Self.binding, ["clientError": "Other"]) == [.notOffered])
        #expect(try faults(Self.binding, ["clientError": 5]) == [.wrongType])
        #expect(try faults(Self.binding, ["jws": "j", "clientError": "Abort"]) == [.wrongType])
        #expect(try faults(Self.binding, [:]) == [.required])
    }
}
