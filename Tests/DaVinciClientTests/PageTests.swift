import Basics
import JSON
import Orchestrate
import TestSupport
import Testing

@testable import DaVinciClient

@Suite("A page of DaVinci")
struct PageTests {
    @Test(
        "takes a page only so far",
        arguments: [(200, 10, true), (201, 10, false), (20, 20_000, false), (10, 20_000, true)])
    func bounds(_ count: Int, _ length: Int, _ isTaken: Bool) async throws {
        let ping = try ScriptedPingOne()
        let text = String(repeating: "x", count: length)
        let fields = (0..<count).map { #"{"type":"LABEL","content":"\#(text)","n":\#($0)}"# }.joined(separator: ",")
        ping.starts(ScriptedPingOne.page(fields))
        let step = try await ping.davinci().bound(to: PingDesk().caller()).start()
        #expect((step.page != nil) == isTaken && (step.reason == .pageTooLarge) == !isTaken)
    }

    @Test("takes as many fields of both kinds together", arguments: [100, 101])
    func inputs(_ count: Int) async throws {
        let ping = try ScriptedPingOne()
        let fields = Array(repeating: #"{"type":"LABEL","content":"x"}"#, count: 100).joined(separator: ",")
        let inputs = Array(repeating: #"{"inputType":"READ_ONLY_TEXT"}"#, count: count).joined(separator: ",")
        ping.starts(
            ScriptedPingOne.page(fields).replacing(#""components":{"#, with: #""components":{"inputs":[\#(inputs)],"#))
        let step = try await ping.davinci().bound(to: PingDesk().caller()).start()
        #expect((step.page?.collectors.count == 200) == (count == 100))
        #expect((step.reason == .pageTooLarge) == (count == 101))
    }

    @Test func `takes no page that is too deep`() async throws {
        let ping = try ScriptedPingOne()
        ping.starts(String(repeating: "[", count: 70) + String(repeating: "]", count: 70))
        #expect(try await ping.davinci().bound(to: PingDesk().caller()).start().reason == .pageTooLarge)
    }

    @Test("takes defaults from nothing but an object", arguments: ["null", "7", "[]", #""x""#])
    func defaults(_ value: String) throws {
        let page = try ScriptedPingOne.parsed(#"{"type":"TEXT","key":"a"}"#, values: value)
        #expect(page.collectors.map { $0.members["value"] } == [""])
    }

    @Test func `shows a branded message, and an empty page after a button that led to none`() async throws {
        let ping = try ScriptedPingOne()
        let link = #""_links":{"next":{"href":"\#(ScriptedPingOne.next)"}}"#
        ping.starts(#"{"id":"m",\#(link),"capabilityName":"customMessage","customMessage":"Done","buttonText":"On"}"#)
        let bound = try ping.davinci().bound(to: PingDesk().caller())
        let step = try await bound.start()
        #expect(step.page?.collectors.map(\.type) == ["ReadOnlyCollector", "SubmitCollector"])
        ping.starts(ScriptedPingOne.page(signOnFields))
        ping.answers("{\(link)}")
        let empty = try await bound.next(try await bound.start().flow, Answers(action: "TROUBLE"))
        #expect(empty.page?.collectors.isEmpty == true)
    }

    @Test func `shows what a connector sends beside its form as unknown`() throws {
        let json = ScriptedPingOne.page(signOnFields).replacing(
            #""components":{"#, with: #""components":{"inputs":[{"key":"fidoChallenge","value":"{}"}],"#)
        let page = DaVinciPage(try JSONValue(parsing: json).object ?? [:])
        #expect(page.collectors.last?.type == "UnknownCollector" && page.collectors.last?.id == "fidoChallenge")
    }

    @Test func `goes to Ping's programs without what continues it`() throws {
        var step = try #require(try JSONValue(parsing: ScriptedPingOne.page(signOnFields)).object)
        let names = ["interactionId", "interactionToken", "continueToken", "session", "_links"]
        for name in names { step[name] = "own" }
        let shown = DaVinciPage(step).shownStep(withheld: [])
        #expect(names.allSatisfy { shown[$0] == nil } && shown["form"] != nil)
    }

    @Test func `that is polled no more shows Ping's programs no challenge, and takes no poll`() throws {
        let fields =
            #"{"type":"POLLING","key":"p","pollChallengeStatus":true,"challenge":"ch-real-1"},"#
            + #"{"type":"SUBMIT_BUTTON","key":"go"}"#
        let page = try ScriptedPingOne.parsed(fields)
        let poll: JSONObject = [
            "id": page.step["id"] ?? "",
            "parameters": ["eventType": "polling", "data": ["formData": ["p": "continue"]]],
        ]
        #expect(try page.answers(filledIn: poll).action != nil)
        let text = JSONValue.object(page.polledOut.shownStep(withheld: [])).text
        for name in ["ch-real-1", "cloakroomSpent", "pollChallengeStatus"] {
            #expect(text.firstRange(ofText: name) == nil, "\(name)")
        }
        #expect(throws: InvalidAnswersError.self) { try page.polledOut.answers(filledIn: poll) }
    }

    @Test func `shows nothing of a page that is the flow's own`() throws {
        let fields =
            signOnFields + """
                ,{"type":"SOCIAL_LOGIN_BUTTON","label":"G","links":{"authenticate":{"href":"https://x.example/secret-link"}}},\
                {"type":"ODD","_links":{"a":"secret-link"}}
                """
        let document = try ScriptedPingOne.parsed(fields).document
        let text = JSONValue.object(document).text
        for secret in ["i1", "t1", "secret-link", ScriptedPingOne.base, "n1"] {
            #expect(
                text.firstRange(ofText: "\"\(secret)") == nil && text.firstRange(ofText: secret + "\"") == nil,
                "\(secret)")
        }
        #expect(document.names == ["name", "description", "collectors"])
    }
}
