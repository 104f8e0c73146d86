import Basics
import HTTPCore
import JSON
import Orchestrate
import TestSupport
import Testing

@testable import DaVinciClient

@Suite("A refusal by PingOne")
struct RefusalTests {
    /// An error of a node behind the page, whose ids are not those of the page.
    static let refusal = """
        {"interactionId":"other","id":"x9","connectionId":"c9","code":"invalidValue","message":"  Not good \\n","details":[\
        {"rawResponse":{"code":"INVALID_DATA","message":"secret-raw","details":[\
        {"code":"INVALID_VALUE","target":"password","message":"Too simple","innerError":{"failuresRemaining":3,\
        "unsatisfiedRequirements":["length","length","minCharacters"],"length":"Too short"}},\
        {"code":"UNIQUENESS_VIOLATION","target":"username","message":"Taken"},\
        {"code":"INVALID_VALUE","target":"shoeSize","message":"Odd","innererror":{"failuresRemaining":1}},{"message":"no target"}]}},\
        {"rawResponse":{"code":"OTHER","details":[{"target":"password","message":"hidden"}]}},{"message":"no raw response"},{"rawResponse":{"statusCode":200,"_embedded":{}}},{"rawResponse":"text"},7]}
        """
    static let fields = """
        {"type":"TEXT","key":"user.username","label":"Username"},{"type":"PASSWORD","key":"password","label":"P"},\
        {"type":"SINGLE_CHECKBOX","key":"news"},{"type":"PROTECT","key":"risk"},{"type":"PHONE_NUMBER","key":"tel"},\
        {"type":"COMBOBOX","key":"topics","options":[]},{"type":"SUBMIT_BUTTON","key":"go"}
        """

    @Test func `keeps nothing of a field that shares its name with a secret`() async throws {
        let ping = try ScriptedPingOne()
        let fields = #"{"type":"TEXT","key":"k"},{"type":"PASSWORD","key":"k"},{"type":"SUBMIT_BUTTON","key":"go"}"#
        ping.starts(ScriptedPingOne.page(fields))
        ping.answers(.json(Self.refusal, status: 400))
        let bound = try ping.davinci().bound(to: PingDesk().caller())
        let page = try await bound.start()
        let ids = try #require(page.page).collectors.map(\.id)
        let step = try await bound.next(page.flow, Answers([ids[0]: "shown", ids[1]: "the-password"]))
        let kept = String(decoding: step.flow.page ?? [], as: UTF8.self)
        #expect(step.error != nil && kept.firstRange(ofText: "the-password") == nil)
    }

    @Test func `leaves the page as it was, with what was entered but secrets, any number of times`() async throws {
        let ping = try ScriptedPingOne()
        ping.starts(ScriptedPingOne.page(Self.fields, values: #"{"topics":["default"]}"#))
        ping.answers(.json(Self.refusal, status: 400))
        let bound = try ping.davinci().bound(to: PingDesk().caller())
        var step = try await bound.start()
        for round in 0..<3 {
            let values: [String: JSONValue] = [
                "user.username": "demo", "password": .string("p\(round)"), "news": true, "topics": [],
                "risk": .string("R/o/\(round)"), "tel": ["countryCode": "GB", "phoneNumber": "77"],
            ]
            let answers = Answers(values)
            step = try await bound.next(step.flow, answers)
            let error = try #require(step.error)
            #expect(error.message == "Not good" && error.status == 400)
            let shown = try #require(error.page).collectors.map { $0.document["value"] ?? "-" }
            let phone: JSONValue = ["countryCode": "GB", "phoneNumber": "77"]
            let expected: [JSONValue] = ["demo", "-", true, "-", phone, [], "-"]
            #expect(shown == expected)
            let body = try #require(ping.body)
            #expect(body["id"] == "n1" && body["interactionId"] == "i1")
            #expect(ping.sent(ScriptedPingOne.next).last?.field("interactionToken") == "t1")
            #expect(body["parameters"]?["data"]?["formData"]?["password"] == .string("p\(round)"))
        }
        let text = String(decoding: step.flow.page ?? [], as: UTF8.self)
        #expect(text.firstRange(ofText: "p2") == nil && text.firstRange(ofText: "R/o/") == nil)
        // A page that comes later has tokens of its own.
        ping.answers(ScriptedPingOne.page(Self.fields, token: "t2"), ScriptedPingOne.page(Self.fields, token: "t3"))
        step = try await bound.next(step.flow, Answers(["user.username": "demo"]))
        step = try await bound.next(step.flow, Answers(["user.username": "demo"]))
        #expect(ping.sent(ScriptedPingOne.next).last?.field("interactionToken") == "t2" && step.page != nil)
    }

    @Test func `says no more than 32 things of values, and of what a password does not meet`() throws {
        let names = (0..<40).map { #""r\#($0)""# }.joined(separator: ",")
        let entry = #"{"target":"a","innerError":{"unsatisfiedRequirements":[\#(names)]}}"#
        // One that names no attribute is none, though it counts.
        let nameless = #"{"target":"","message":"hidden"}"#
        let entries = ([nameless] + Array(repeating: entry, count: 40)).joined(separator: ",")
        let body = #"{"details":[{"rawResponse":{"code":"INVALID_DATA","details":[\#(entries)]}}]}"#
        let details = ErrorDetail.all(in: try JSONValue(parsing: body))
        #expect(details.count == 31 && details.allSatisfy { $0.requirements.count == 32 })
    }

    @Test func `says of single values what users may know`() async throws {
        let ping = try ScriptedPingOne()
        ping.starts(ScriptedPingOne.page(Self.fields))
        ping.answers(.json(Self.refusal, status: 400))
        let bound = try ping.davinci().bound(to: PingDesk().caller())
        let error = try #require(
            try await bound.next(try await bound.start().flow, Answers(["user.username": "u"])).error)
        #expect(
            error.errorDetails.map { "\($0.target) \($0.code)" } == [
                "password INVALID_VALUE", "username UNIQUENESS_VIOLATION", "shoeSize INVALID_VALUE",
            ])
        let expected: [JSONValue] = [
            [
                "id": "password", "target": "password", "message": "Too simple",
                "requirements": [
                    ["name": "length", "message": "Too short"], ["name": "minCharacters", "message": ""],
                ],
            ], ["id": "user.username", "target": "username", "message": "Taken"],
            ["target": "shoeSize", "message": "Odd"],
        ]
        #expect(error.shownErrorDetails == expected)
    }

    @Test func `has a message of 1 KiB at most`() async throws {
        let ping = try ScriptedPingOne()
        ping.starts(ScriptedPingOne.page(Self.fields))
        ping.answers(.json(#"{"message":"x\#(String(repeating: "é", count: 1000))"}"#, status: 400))
        let bound = try ping.davinci().bound(to: PingDesk().caller())
        let error = try #require(
            try await bound.next(try await bound.start().flow, Answers(["user.username": "u"])).error)
        #expect(error.message.utf8.count == 1023)
    }
}

@Suite("A page of DaVinci that waits")
struct PollTests {
    static func page(_ more: String, retries: Int = 3) -> String {
        ScriptedPingOne.page(
            #"{"type":"POLLING","key":"poll","pollInterval":2000,"pollRetries":\#(retries)\#(more)},{"type":"FLOW_LINK","key":"other","label":"O"}"#
        )
    }

    static let challenge = page(#","pollChallengeStatus":true,"challenge":"ch 1""#)
    static let rewind = #"{"eventName":"rewindStateToLastRenderedUI"}"#

    private func left(_ step: FlowStep) -> JSONValue? {
        step.page?.collectors.first?.members["retriesLeft"]
    }

    @Test(arguments: ["rewindStateToLastRenderedUI", "rewindStateToSpecificRenderedUI"])
    func `stays with one retry less until the last one says that time is out`(_ event: String) async throws {
        let ping = try ScriptedPingOne()
        ping.starts(Self.page(""))
        ping.answers(#"{"eventName":"\#(event)"}"#)
        let bound = try ping.davinci().bound(to: PingDesk().caller())
        var step = try await bound.start()
        var told: [JSONValue?] = []
        for left in [2, 1, 0] {
            step = try await bound.next(step.flow, Answers(action: "poll"))
            #expect(self.left(step) == .init(Int64(left)))
            told.append(ping.body?["parameters"]?["data"]?["formData"]?["poll"])
        }
        #expect(told == ["continue", "continue", "timedOut"])
        #expect(
            ping.body?["parameters"]?["eventType"] == "polling" && ping.body?["parameters"]?["data"]?["actionKey"] == ""
        )
        // It is polled no more.
        let calls = ping.sent(ScriptedPingOne.next).count
        guard
            case .moduleFailed(_, let error as InvalidAnswersError) =
                try await bound.next(step.flow, Answers(action: "poll")).cause
        else {
            Issue.record("polled")
            return
        }
        #expect(error.problems.map(\.code) == [.unknownAction] && ping.sent(ScriptedPingOne.next).count == calls)
        // The exit needs nothing of it.
        ping.answers(ScriptedPingOne.success)
        #expect(try await bound.next(step.flow, Answers(action: "other")).success != nil)
    }

    @Test(
        "is over when the flow goes back to it after its last retry, and it shows nothing else to do",
        arguments: ["", #",{"type":"LABEL","content":"Wait"},{"type":"SOCIAL_LOGIN_BUTTON","label":"G"}"#])
    func stranded(_ more: String) async throws {
        let ping = try ScriptedPingOne()
        ping.starts(ScriptedPingOne.page(#"{"type":"POLLING","key":"poll","pollRetries":2}"# + more))
        ping.answers(Self.rewind)
        let bound = try ping.davinci().bound(to: PingDesk().caller())
        var step = try await bound.start()
        step = try await bound.next(step.flow, Answers(action: "poll"))
        #expect(left(step) == 1)
        step = try await bound.next(step.flow, Answers(action: "poll"))
        #expect(step.reason == .pollFailed && step.flow.isOver)
    }

    @Test(arguments: [true, false])
    func `without a key is told of under the one that PingOne gives such fields`(_ isChallenge: Bool) async throws {
        let ping = try ScriptedPingOne()
        ping.starts((isChallenge ? Self.challenge : Self.page("")).replacing(#""key":"poll","#, with: ""))
        ping.answers(ScriptedPingOne.success)
        ping.network.on(
            .post, ScriptedPingOne.status, answering: .json(#"{"isChallengeComplete":true,"status":"approved"}"#))
        let bound = try ping.davinci().bound(to: PingDesk().caller())
        #expect(try await bound.next(try await bound.start().flow, Answers(action: "POLLING-0")).success != nil)
        #expect(
            ping.body?["parameters"]?["data"]?["formData"]
                == ["polling": isChallenge ? "approved" : "continue"])
    }

    @Test func `is over when a start is answered by the page before`() async throws {
        let ping = try ScriptedPingOne()
        ping.starts(Self.rewind)
        #expect(try await ping.davinci().bound(to: PingDesk().caller()).start().reason == .pollFailed)
    }

    @Test func `asks for its challenge, and tells the flow in the same step`() async throws {
        let ping = try ScriptedPingOne()
        ping.starts(Self.challenge)
        ping.answers(ScriptedPingOne.success)
        ping.network.on(
            .post, ScriptedPingOne.status,
            answering: .json(#"{"isChallengeComplete":false,"status":"started","form":{}}"#),
            .json(#"{"isChallengeComplete":true,"status":"approved"}"#))
        let bound = try ping.davinci().bound(to: PingDesk().caller())
        var step = try await bound.start()
        step = try await bound.next(step.flow, Answers(action: "poll"))
        #expect(left(step) == 2 && ping.sent(ScriptedPingOne.next).isEmpty)
        step = try await bound.next(step.flow, Answers(action: "poll"))
        #expect(step.success != nil)
        let asked = try #require(ping.sent(ScriptedPingOne.status).last)
        #expect(String(decoding: asked.body, as: UTF8.self) == "{}" && asked.field("interactionId") == "i1")
        #expect(asked.field("interactionToken") == nil && asked.field("x-requested-with") == "ping-sdk")
        #expect(ping.body?["parameters"]?["data"]?["formData"] == ["poll": "approved"])
        #expect(ping.sent(ScriptedPingOne.next).last?.field("interactionToken") == "t1")
    }

    @Test(
        "tells the flow what became of the challenge",
        arguments: [
            (200, #"{"isChallengeComplete":true,"status":"denied"}"#, "denied"),
            (200, #"{"isChallengeComplete":true}"#, "error"), (200, "<html>", "error"), (404, "{}", "error"),
            (400, #"{"serviceName":"challengeExpired"}"#, "expired"),
            (500, #"{"serviceName":"challengeExpired"}"#, "expired"),
            (400, #"{"code":4019}"#, "error"), (302, "", "error"), (501, "{}", "error"),
        ])
    func told(_ status: Int, _ body: String, _ value: String) async throws {
        let ping = try ScriptedPingOne()
        ping.starts(Self.challenge)
        ping.answers(ScriptedPingOne.success)
        ping.network.on(.post, ScriptedPingOne.status, answering: .json(body, status: status))
        let bound = try ping.davinci().bound(to: PingDesk().caller())
        #expect(try await bound.next(try await bound.start().flow, Answers(action: "poll")).success != nil)
        #expect(ping.body?["parameters"]?["data"]?["formData"] == ["poll": .string(value)])
    }

    @Test("goes on after a fault of the status while retries remain", arguments: [0, 500, 502, 504])
    func faulty(_ status: Int) async throws {
        let ping = try ScriptedPingOne()
        ping.starts(Self.page(#","pollChallengeStatus":true,"challenge":"ch 1""#, retries: 2))
        ping.answers(ScriptedPingOne.success)
        if status == 0 {
            ping.network.on(.post, ScriptedPingOne.status, failing: .noUsableAnswer(.closed))
        } else {
            ping.network.on(.post, ScriptedPingOne.status, answering: .json("{}", status: status))
        }
        let bound = try ping.davinci().bound(to: PingDesk().caller())
        let step = try await bound.next(try await bound.start().flow, Answers(action: "poll"))
        #expect(left(step) == 1 && ping.sent(ScriptedPingOne.next).isEmpty)
        #expect(try await bound.next(step.flow, Answers(action: "poll")).success != nil)
        #expect(ping.body?["parameters"]?["data"]?["formData"] == ["poll": "error"])
    }

    @Test func `takes the cookies of the status along`() async throws {
        let ping = try ScriptedPingOne()
        ping.starts(Self.challenge)
        ping.answers(ScriptedPingOne.page(signOnFields))
        var status = ClientResponse.json(#"{"isChallengeComplete":true,"status":"approved"}"#)
        try status.fields.append(HTTPField(.setCookie, checking: "proxy=p1; Path=/"))
        ping.network.on(.post, ScriptedPingOne.status, answering: status)
        let bound = try ping.davinci().bound(to: PingDesk().caller())
        let shown = try await bound.next(try await bound.start().flow, Answers(action: "poll"))
        #expect(ping.sent(ScriptedPingOne.next).last?.field("Cookie") == "proxy=p1")
        // And keeps them to the end of the flow.
        _ = try await bound.next(shown.flow, Answers(["username": "u"]))
        #expect(ping.sent(ScriptedPingOne.next).map { $0.field("Cookie") } == ["proxy=p1", "proxy=p1"])
    }

    @Test func `asks in the environment of the first link that names one, and fails where none does`() throws {
        let own = #""_links":{"self":{"href":"https://auth.pingone.example/env/as/resume"},"#
        let page = DaVinciPage(
            try JSONValue(parsing: Self.challenge.replacing(#""_links":{"#, with: own)).object ?? [:])
        #expect(page.challengeStatus?.text == ScriptedPingOne.status)
        let none = DaVinciPage(
            try JSONValue(parsing: Self.challenge.replacing("/davinci/", with: "/flow/")).object ?? [:])
        let request = try none.request(answering: Answers(action: "poll"), deviceValue: .web)
        #expect(
            try JSONValue(parsing: request.body)["parameters"]?["data"]?["formData"] == ["poll": "error"])
    }

    @Test func `tells the flow that time is out with its last retry, and stays when PingOne is busy`() async throws {
        let ping = try ScriptedPingOne()
        ping.starts(Self.page(#","pollChallengeStatus":true,"challenge":"ch 1""#, retries: 1))
        ping.answers(ScriptedPingOne.success)
        ping.network.on(
            .post, ScriptedPingOne.status, answering: .json("{}", status: 429), .json(#"{"isChallengeComplete":false}"#)
        )
        let bound = try ping.davinci().bound(to: PingDesk().caller())
        let step = try await bound.next(try await bound.start().flow, Answers(action: "poll"))
        #expect(step.leavesFlowUntouched && !step.flow.isOver)
        #expect(try await bound.next(step.flow, Answers(action: "poll")).success != nil)
        #expect(ping.body?["parameters"]?["data"]?["formData"] == ["poll": "timedOut"])
    }
}

@Suite("A return from another identity provider")
struct ReturnTests {
    private static let fields =
        signOnFields + """
            ,{"type":"SOCIAL_LOGIN_BUTTON","key":"g","label":"G","links":{"authenticate":{"href":"https://accounts.example/x"}}}
            """

    private static func returned(_ pairs: (String, String)...) -> QueryParameters {
        var parameters = QueryParameters()
        for (name, value) in pairs { parameters.append(name, value) }
        return parameters
    }

    private func begun() async throws -> (ScriptedPingOne, BoundDaVinci, FlowState) {
        let ping = try ScriptedPingOne()
        ping.starts(ScriptedPingOne.page(Self.fields))
        ping.network.on(.post, ScriptedPingOne.resume, answering: .json(ScriptedPingOne.success))
        let bound = try ping.davinci().bound(to: PingDesk().caller())
        return (ping, bound, try await bound.start().flow)
    }

    @Test(arguments: ["a\u{1}b", "a\nb"])
    func `brings no token that a header cannot carry`(_ token: String) async throws {
        let ping = try ScriptedPingOne()
        ping.starts(ScriptedPingOne.page(RefusalTests.fields))
        let bound = try ping.davinci().bound(to: PingDesk().caller())
        let step = try await bound.start()
        #expect(try await bound.resume(step.flow, returned: Self.returned(("continueToken", token))).cause != nil)
        #expect(ping.sent(ScriptedPingOne.resume).isEmpty)
        let json = JSONValue.string(token).text
        ping.starts(ScriptedPingOne.page(RefusalTests.fields).replacing(#""t1""#, with: json))
        #expect(try await bound.start().cause?.davinci?.reason == .providerUnavailable)
    }

    @Test func `goes on with its token alone`() async throws {
        let (ping, bound, flow) = try await begun()
        #expect(try await bound.resume(flow, returned: Self.returned(("continueToken", "ct"))).success != nil)
        let call = try #require(ping.sent(ScriptedPingOne.resume).first)
        #expect(call.field("Authorization") == "Bearer ct" && String(decoding: call.body, as: UTF8.self) == "{}")
        #expect(call.field("interactionId") == nil && call.field("interactionToken") == nil)
        #expect(call.field("x-requested-with") == "ping-sdk" && call.field("Accept") == "application/json")
    }

    @Test func `that is refused leaves the page`() async throws {
        let (ping, bound, flow) = try await begun()
        ping.network.on(.post, ScriptedPingOne.resume, answering: .json(#"{"message":"No"}"#, status: 400))
        let step = try await bound.resume(flow, returned: Self.returned(("continueToken", "ct")))
        #expect(step.error?.message == "No" && step.flow.page == flow.page)
    }

    @Test(
        "is not sent when it is none",
        arguments: [
            returned(), returned(("continueToken", "")), returned(("continueToken", "a"), ("continueToken", "b")),
            returned(("continueToken", "a"), ("error", "x")), returned(("code", "a")),
            returned(("error_description", "x")),
            returned(("continueToken", String(repeating: "x", count: 8193))), returned(("error", "a"), ("error", "b")),
            returned(("error", "a"), ("error_description", "x"), ("error_description", "y")),
            returned(("continueToken", "a"), ("x", "b")), returned(("continueToken", "a;b")),
        ])
    func none(_ parameters: QueryParameters) async throws {
        let (ping, bound, flow) = try await begun()
        let calls = ping.network.requests.count
        let step = try await bound.resume(flow, returned: parameters)
        #expect(step.cause != nil)
        // Nor as an answer of the page.
        if !parameters.pairs.isEmpty {
            let answered = try await bound.next(flow, Answers(returned: parameters))
            #expect(answered.cause != nil)
        }
        #expect(ping.network.requests.count == calls && step.flow.page == flow.page)
    }

    @Test func `is not sent to a page without a link for it`() async throws {
        let ping = try ScriptedPingOne()
        ping.starts(ScriptedPingOne.page(Self.fields).replacing("\"continue\":{", with: "\"none\":{"))
        let bound = try ping.davinci().bound(to: PingDesk().caller())
        let step = try await bound.start()
        let end = try await bound.resume(step.flow, returned: Self.returned(("continueToken", "ct")))
        #expect(end.cause != nil && ping.network.requests.count == 3)
        #expect(DaVinciPage(try #require(step.page)).departureQuestions.isEmpty)
    }

    @Test func `with an error shows the page again, and sends nothing`() async throws {
        let (ping, bound, flow) = try await begun()
        let calls = ping.network.requests.count
        let step = try await bound.resume(
            flow, returned: Self.returned(("error", "access_denied"), ("error_description", "<b>no</b>")))
        #expect(step.error?.page?.collectors.count == 5 && step.error?.message == "")
        #expect(step.flow == flow && ping.network.requests.count == calls)
    }
}
