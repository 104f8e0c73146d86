import JSON
import JourneyClient
import Orchestrate
import Testing

@Suite("A MetadataCallback")
struct MetadataCallbackTests {
    private static func metadata(_ data: String) -> String {
        callback("MetadataCallback", output("data", data), input: nil)
    }

    private static func hidden(_ id: String, _ name: String) -> String {
        callback("HiddenValueCallback", output("value", #""""#) + "," + output("id", #""\#(id)""#), input: #""\#(id)""#)
            .replacing("IDToken1", with: name)
    }

    private static let initialize = metadata(
        #"{"_type":"PingOneProtect","_action":"protect_initialize","envId":"e","lazyMetadata":true,"signalsInitializationOptions":"odd"}"#
    )
    private static let evaluate = metadata(
        #"{"_type":"PingOneProtect","_action":"protect_risk_evaluation","pauseBehavioralData":true}"#)

    /// What the inputs of a page hold when its first question was answered.
    private func sent(_ page: JourneyPage, _ answer: JSONValue) throws -> [JSONValue?] {
        let body = try filled(page, answer)
        return (body["callbacks"]?.array ?? []).dropFirst().map { $0["input"]?[0]?["value"] }
    }

    @Test(arguments: [#"{"theme":"dark","steps":{"of":3.0}}"#, #"{"_type":"PingOneProtect","_action":"other"}"#])
    func `is data as received, and takes no answer`(data: String) throws {
        #expect(
            try shown(Self.metadata(data))
                == #"{"id":"MetadataCallback-0","type":"MetadataCallback","data":\#(data)}"#)
        #expect(try faults(Self.metadata(data), "x") == [.notAnswerable])
        for odd in ["null", "[]", #""x""#] {
            #expect(try JSONValue(parsing: shown(Self.metadata(odd)))["data"] == [:])
        }
    }

    @Test func `of Protect shows every option and takes an error into the hidden value beside it`() throws {
        let page = try page(Self.initialize, Self.hidden("clientError", "IDToken2"))
        let question = try #require(page.questions.first)
        #expect(page.questions.count == 1 && question.members["specialised"] == "protect_initialize")
        let data = question.members["data"]
        #expect(data?["envId"] == "e" && data?["lazyMetadata"] == true && data?["deviceKeyRsyncIntervals"] == 14)
        #expect(data?["signalsInitializationOptions"] == nil && data?["_type"] == nil)
        #expect(try shown(Self.initialize).contains(#""answer":"#))
        #expect(try sent(page, ["clientError": "blocked"]) == ["blocked"])
        #expect(try sent(page, [:]) == ["clientError"])
        #expect(page.validate(Answers(["IDToken2": "x"])).map(\.code) == [.unknownQuestion])
        #expect(page.validate(Answers(action: "IDToken2")).map(\.code) == [.unknownAction])
    }

    @Test func `fills hidden values by their position, though two have one input name`() throws {
        let page = try page(
            Self.evaluate, Self.hidden("other", "IDToken2"),
            Self.hidden("pingone_risk_evaluation_signals", "IDToken1"), Self.hidden("clientError", "IDToken1"))
        #expect(page.questions.map(\.id) == ["MetadataCallback-0", "IDToken2"])
        #expect(try sent(page, ["signals": "s"]) == ["other", "s", "clientError"])
        #expect(
            try sent(page, ["signals": "s", "clientError": "e"]) == ["other", "s", "e"])
        #expect(page.validate(Answers(["MetadataCallback-0": ["signals": 5]])).map(\.code) == [.wrongType])
    }

    @Test func `of Recognize fills the hidden value whose id has the longest of the names`() throws {
        let page = try page(
            Self.metadata(#"{"_type":"R","operationType":"ENROLL","customerName":"c","apiKey":"canary"}"#),
            Self.hidden("x-clientErrorCode", "IDToken2"), Self.hidden("x-clientError", "IDToken3"),
            Self.hidden("x-signedJwt", "IDToken4"), Self.hidden("x-recognizeId", "IDToken5"))
        #expect(page.questions.map(\.members).first?["specialised"] == "recognize")
        #expect(page.questions.count == 1 && !page.document().text.contains("canary"))
        #expect(
            try sent(page, ["clientError": "e", "clientErrorCode": "7"]) == ["7", "e", "x-signedJwt", "x-recognizeId"])
        #expect(
            try sent(page, ["signedJwt": "j", "recognizeId": "r"]) == ["x-clientErrorCode", "x-clientError", "j", "r"])
        let codes = page.validate(Answers(["MetadataCallback-0": ["signedJwt": "j"]])).map(\.code)
        #expect(codes == [.required])
    }

    @Test func `goes back as it came with everything beside it when nobody answers`() throws {
        let page = try page(Self.evaluate, Self.hidden("clientError", "IDToken1"))
        #expect(try page.body(answering: Answers()).text == JSONValue.object(page.step).text)
    }
}
