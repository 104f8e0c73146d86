import JSON
import JourneyClient
import Orchestrate
import Testing

@Suite("A PingOneProtectInitializeCallback")
struct PingOneProtectInitializeCallbackTests {
    private static func begin(_ outputs: String...) -> String {
        callback("PingOneProtectInitializeCallback", outputs, inputs: ["IDToken1clientError"])
    }

    @Test func `shows every option`() throws {
        let callback = Self.begin(
            output("deviceKeyRsyncIntervals", "10"), output("envId", #""e""#), output("consoleLogEnabled", "true"),
            output("deviceAttributesToIgnore", #"["userAgent"]"#), output("customHost", #""h""#),
            output("lazyMetadata", "true"), output("behavioralDataCollection", "false"), output("enableTrust", "true"),
            output("disableTags", "true"), output("disableHub", "true"),
            output("signalsInitializationOptions", #"{"agentPort":1}"#))
        #expect(
            try shown(callback)
                == #"{"id":"IDToken1clientError","type":"PingOneProtectInitializeCallback","envId":"e","consoleLogEnabled":true,"deviceAttributesToIgnore":["userAgent"],"customHost":"h","lazyMetadata":true,"behavioralDataCollection":false,"deviceKeyRsyncIntervals":10,"enableTrust":true,"disableTags":true,"disableHub":true,"signalsInitializationOptions":{"agentPort":1},"answer":{"type":"object","properties":{"clientError":{"type":"string","maxLength":8192}},"additionalProperties":false,"hidden":true}}"#
        )
    }

    @Test(arguments: ["null", "[]", #""{}""#, "5"])
    func `has a default for each, and no options that are no object`(odd: String) throws {
        let names = [
            "envId", "consoleLogEnabled", "deviceAttributesToIgnore", "customHost", "lazyMetadata",
            "behavioralDataCollection", "enableTrust", "disableTags", "disableHub", "signalsInitializationOptions",
        ]
        let callback = callback(
            "PingOneProtectInitializeCallback",
            names.filter { odd != #""{}""# || !["envId", "customHost"].contains($0) }.map { output($0, odd) },
            inputs: ["IDToken1clientError"])
        #expect(
            try shown(callback)
                == #"{"id":"IDToken1clientError","type":"PingOneProtectInitializeCallback","envId":"","consoleLogEnabled":false,"deviceAttributesToIgnore":[],"customHost":"","lazyMetadata":false,"behavioralDataCollection":true,"deviceKeyRsyncIntervals":14,"enableTrust":false,"disableTags":false,"disableHub":false,"answer":{"type":"object","properties":{"clientError":{"type":"string","maxLength":8192}},"additionalProperties":false,"hidden":true}}"#
        )
    }

    @Test func `takes an error, or nothing`() throws {
        #expect(try sent(Self.begin(), ["clientError": "blocked"]) == #"["blocked"]"#)
        #expect(try sent(Self.begin(), [:]) == #"[""]"#)
        #expect(try faults(Self.begin(), ["signals": "s"]) == [.wrongType])
        #expect(try faults(Self.begin(), "blocked") == [.wrongType])
        #expect(try faults(Self.begin(), ["clientError": longText]) == [.tooLong])
    }
}
