import Basics
import Discovery
import HTTPCore
import JSON
import OpenIDConnect
import Orchestrate
import StorageKit
import TestSupport
import Testing

@testable import DaVinciClient

@Suite("A DaVinci flow")
struct FlowOutcomeTests {
    // MARK: Cookies

    @Test func `keeps its own cookies to itself, and the session's at its end`() async throws {
        let ping = try ScriptedPingOne()
        func answer(_ body: String, _ cookies: String...) -> ClientResponse {
            var answer = ClientResponse.json(body)
            for cookie in cookies { try? answer.fields.append(HTTPField(.setCookie, checking: cookie)) }
            return answer
        }
        ping.starts(
            answer(
                ScriptedPingOne.page(signOnFields),
                "interactionId=c1; Max-Age=3600; Path=/; Expires=Wed, 27 Mar 2999 05:06:30 GMT; HttpOnly",
                "other=o; Path=/env/davinci", "foreign=f; Domain=evil.example", "gone=g; Max-Age=0", "ST=s0; Path=/"))
        ping.answers(answer(ScriptedPingOne.success, "ST=s1; Path=/; Secure", "interactionId=; Max-Age=0; Path=/"))
        let desk = PingDesk()
        let davinci = try ping.davinci()
        let step = try await davinci.bound(to: desk.caller()).start()
        #expect(try await desk.session.get() == nil)
        #expect(ping.sent(ScriptedPingOne.authorize).first?.field("Cookie") == nil)
        let end = try await davinci.bound(to: desk.caller()).next(step.flow, Answers(["username": "u"]))
        #expect(ping.sent(ScriptedPingOne.next).first?.field("Cookie") == "other=o; ST=s0; interactionId=c1")
        #expect(end.success != nil && end.flow.context[.cookies]?.names == ["other"])
        let session = try #require(try await desk.session.get())
        #expect(session.cookies.names == ["ST"] && session.idToken != nil && session.value.reveal() == "s1")
        #expect(try DaVinciSession(decoding: session.encoded) == session)
        // The next start shows the session's cookies and nothing of the flow before.
        ping.starts(ScriptedPingOne.success)
        let silent = try await davinci.bound(to: desk.caller()).start()
        #expect(silent.success != nil && ping.sent(ScriptedPingOne.authorize).last?.field("Cookie") == "ST=s1")
        var options = DaVinciStartOptions()
        options.ignoresSession = true
        _ = try await davinci.bound(to: desk.caller()).start(options)
        #expect(ping.sent(ScriptedPingOne.authorize).last?.field("Cookie") == nil)
    }

    // MARK: Outcomes

    @Test func `ends with tokens of the user, and signs off`() async throws {
        let ping = try ScriptedPingOne()
        ping.starts(ScriptedPingOne.page(signOnFields))
        ping.answers(ScriptedPingOne.success)
        let desk = PingDesk()
        let bound = try ping.davinci().bound(to: desk.caller())
        let step = try await bound.start()
        let end = try await bound.next(step.flow, Answers(["username": "u", "password": "p"]))
        #expect(end.success?.isSignedIn == true && end.flow.isOver)
        #expect(try await desk.tokens.get()?.subject == "user-1")
        let token = try #require(ping.sent(ScriptedPingOne.base + "/as/token").first)
        #expect(token.form?.single("code") == "c1" && token.form?.single("code_verifier")?.count == 86)
        let report = await bound.signOff()
        #expect(report.isComplete)
        let off = try #require(ping.sent(ScriptedPingOne.signOff).first)
        #expect(off.parameters?.single("id_token_hint") != nil && off.parameters?.single("client_id") == "web")
        let (session, tokens) = (try await desk.session.get(), try await desk.tokens.get())
        #expect(session == nil && tokens == nil && ping.sent(ScriptedPingOne.base + "/as/revoke").count == 2)
        for call in ping.network.requests {
            #expect(call.field("x-requested-with") == "ping-sdk" && call.field("x-requested-platform") == "javascript")
        }
    }

    @Test(
        "says of a sign-off what became of it",
        arguments: [
            (ClientResponse(status: 200), true), (ClientResponse(status: 302), true),
            (ClientResponse(status: 400), false),
            (.redirect(to: "https://app.example.com/?error=invalid_request"), false),
            (.redirect(to: "/signon?error=invalid_request"), false), (.redirect(to: "/signon#error=x"), false),
            (.redirect(to: "/signon?done=1"), true), (ClientResponse(status: 500), false),
        ])
    func signOff(_ answer: ClientResponse, _ isEnded: Bool) async throws {
        let ping = try ScriptedPingOne()
        ping.network.on(.get, ScriptedPingOne.signOff, answering: answer)
        let desk = PingDesk()
        try await desk.session.save(DaVinciSession(value: Secret("s1")))
        let report = await (try ping.davinci()).bound(to: desk.caller()).signOff()
        if case .ended = report.session { #expect(isEnded) } else { #expect(!isEnded) }
        #expect(try await desk.session.get() == nil)
    }

    @Test(arguments: [204, 500])
    func `ends the session of a success whose code cannot be exchanged, or says that it lives on`(
        _ status: Int
    ) async throws {
        let ping = try ScriptedPingOne()
        var answer = ClientResponse.json(ScriptedPingOne.success)
        try answer.fields.append(HTTPField(.setCookie, checking: "ST=s1; Path=/"))
        ping.starts(answer)
        ping.refusesTokens(400)
        ping.network.on(.get, ScriptedPingOne.signOff, answering: ClientResponse(status: status))
        let desk = PingDesk()
        let step = try await ping.davinci().bound(to: desk.caller()).start()
        let orphan = step.orphan as? DaVinciSession
        #expect(step.cause != nil && orphan?.cookies.names == (status == 204 ? nil : ["ST"]))
        #expect(ping.sent(ScriptedPingOne.signOff).first?.field("Cookie") == "ST=s1")
        let (session, tokens) = (try await desk.session.get(), try await desk.tokens.get())
        #expect(session == nil && tokens == nil)
    }

    @Test func `says a code in a log as 64 printable characters at most`() async throws {
        let ping = try ScriptedPingOne()
        ping.starts(#"{"error":{"code":"a\nb\u00e9\#(String(repeating: "x", count: 100))"}}"#)
        let step = try await ping.davinci().bound(to: PingDesk().caller()).start()
        #expect(step.cause?.davinci?.check == "code a?b??\(String(repeating: "x", count: 59))")
    }

    @Test("fails when the state is another one", arguments: [#""other""#, "7", #""""#])
    func state(_ state: String) async throws {
        let ping = try ScriptedPingOne()
        ping.starts(#"{"status":"COMPLETED","authorizeResponse":{"code":"c1","state":\#(state)}}"#)
        let step = try await ping.davinci().bound(to: PingDesk().caller()).start()
        #expect(step.cause != nil && ping.sent(ScriptedPingOne.base + "/as/token").isEmpty)
    }

    struct Answered: Sendable, CustomTestStringConvertible {
        let status: Int
        let body: String
        /// The reason at a page; nil for an error that can be answered again.
        let reason: DaVinciFlowError.Reason?
        /// The reason at a start; nil for a refusal without a page.
        let atStart: DaVinciFlowError.Reason?

        init(_ status: Int, _ body: String, _ reason: DaVinciFlowError.Reason?, start: DaVinciFlowError.Reason?) {
            (self.status, self.body, self.reason, atStart) = (status, body, reason, start)
        }

        var testDescription: String { "\(status) \(body.prefix(60))" }
    }

    static let answered: [Answered] = [
        Answered(400, #"{"code":1999}"#, .interactionExpired, start: .interactionExpired),
        Answered(401, #"{"code":"1999"}"#, .interactionExpired, start: .interactionExpired),
        Answered(400, #"{"code":"requestTimedOut"}"#, .interactionExpired, start: .interactionExpired),
        Answered(400, #"{"code":"timedOut","message":"timedOut"}"#, nil, start: nil),
        Answered(400, #"{"code":" Invalid username and/or password"}"#, nil, start: nil),
        Answered(
            404, #"{"connectorId":"pingOneAuthenticationConnector","capabilityName":"setSession"}"#, .providerRefused,
            start: .providerRefused),
        Answered(404, #"{"connectorId":"pingOneAuthenticationConnector","capabilityName":"other"}"#, nil, start: nil),
        Answered(400, #"{"code":"userSessionMismatch"}"#, .accountMismatch, start: .accountMismatch),
        Answered(400, "<html>", .providerUnavailable, start: .providerUnavailable),
        Answered(400, "[]", .providerUnavailable, start: .providerUnavailable),
        Answered(200, "<html>", .providerUnavailable, start: .providerUnavailable),
        Answered(200, #"{"status":"FAILED","error":{"code":"login_required"}}"#, .loginRequired, start: .loginRequired),
        Answered(200, #"{"status":"failure"}"#, .providerRefused, start: .providerRefused),
        Answered(200, #"{"error":{"code":"server_error"}}"#, .providerRefused, start: .providerRefused),
        Answered(
            200, #"{"status":"FAILED","error":{"code":"invalid_scope"}}"#, .providerRefused, start: .configuration),
        Answered(
            200, #"{"error":{"code":"server_error"},"authorizeResponse":{"code":"c1"}}"#, .providerRefused,
            start: .providerRefused),
        Answered(200, #"{"authorizeResponse":{}}"#, .providerUnavailable, start: .providerUnavailable),
        Answered(200, #"{"authorizeResponse":{"code":""}}"#, .providerUnavailable, start: .providerUnavailable),
        Answered(200, #"{"status":"COMPLETED"}"#, .providerUnavailable, start: .configuration),
        Answered(
            200, #"{"resumeUrl":"https://x.example","status":"USERNAME_PASSWORD_REQUIRED"}"#, .providerUnavailable,
            start: .configuration),
        Answered(201, #"{"status":"COMPLETED"}"#, .providerUnavailable, start: .configuration),
        Answered(302, "", .providerUnavailable, start: .configuration),
        Answered(500, #"{"code":"UNEXPECTED_ERROR"}"#, .providerUnavailable, start: .configuration),
        Answered(500, #"{"code":"OTHER"}"#, .providerUnavailable, start: .providerUnavailable),
        Answered(504, "<html>", .providerUnavailable, start: .providerUnavailable),
        Answered(
            200,
            #"{"screen":{},"showContinueButton":false,"_links":{"next":{"href":"https://auth.pingone.example/x"}}}"#,
            .configuration, start: .configuration),
        Answered(
            200, #"{"screen":{},"_links":{"next":{"href":"https://auth.pingone.example/x"}}}"#, .configuration,
            start: .configuration),
        Answered(
            200, #"{"_links":{"next":{"href":"https://auth.pingone.example/x"}}}"#, .providerRefused,
            start: .configuration),
        Answered(
            200, #"{"_links":{"next":{"href":"https://evil.example/x"}},"form":{}}"#, .linkNotAllowed,
            start: .linkNotAllowed),
        Answered(
            200, #"{"_links":{"next":{"href":"http://auth.pingone.example/x"}},"form":{}}"#, .linkNotAllowed,
            start: .linkNotAllowed),
        Answered(
            200, #"{"_links":{"next":{"href":"javascript:a()"}},"form":{}}"#, .linkNotAllowed, start: .linkNotAllowed),
        Answered(
            200,
            """
            {"_links":{"next":{"href":"https://auth.pingone.example/x"},"continue":{"href":"https://evil.example/x"}},"form":{}}
            """, .linkNotAllowed, start: .linkNotAllowed),
        Answered(
            200,
            """
            {"_links":{"next":{"href":"https://auth.pingone.example/x"},"self":{"href":"https://auth.pingone.example:8443/x"}},\
            "form":{}}
            """, .linkNotAllowed, start: .linkNotAllowed),
    ]

    @Test("is over, or not, as its answers say", arguments: answered)
    func outcome(row: Answered) async throws {
        let ping = try ScriptedPingOne()
        var answer = ClientResponse.json(row.body, status: row.status)
        if row.status == 302 { answer = .redirect(to: "https://apps.pingone.example/signon/?error=x") }
        ping.starts(answer)
        let bound = try ping.davinci().bound(to: PingDesk().caller())
        let start = try await bound.start()
        if let reason = row.atStart {
            #expect(start.reason == reason)
        } else {
            // A connector is one of the flow; without one it is the platform that refuses.
            let isOfFlow = row.body.firstRange(ofText: "connectorId") != nil
            #expect(start.error?.davinciStart?.reason == (isOfFlow ? .providerRefused : .configuration))
            #expect(start.flow.isOver)
        }
        ping.starts(ScriptedPingOne.page(signOnFields))
        ping.answers(answer)
        let step = try await bound.next(try await bound.start().flow, Answers(["username": "u"]))
        if let reason = row.reason {
            #expect(step.reason == reason && step.flow.isOver)
        } else {
            #expect(step.error?.page != nil && !step.flow.isOver)
        }
    }

    @Test(
        "stays at its step when PingOne is busy or not reached", arguments: [429, 503, 0])
    func untouched(_ status: Int) async throws {
        let ping = try ScriptedPingOne()
        ping.starts(ScriptedPingOne.page(signOnFields))
        if status == 0 {
            ping.network.on(.post, ScriptedPingOne.next, failing: .notReached(.connect))
        } else {
            ping.answers(.json("{}", status: status))
        }
        let bound = try ping.davinci().bound(to: PingDesk().caller())
        let step = try await bound.next(try await bound.start().flow, Answers(["username": "u"]))
        #expect(step.leavesFlowUntouched && !step.flow.isOver)
    }

    @Test func `is over when nobody knows what became of a step`() async throws {
        let ping = try ScriptedPingOne()
        ping.starts(ScriptedPingOne.page(signOnFields))
        ping.network.on(.post, ScriptedPingOne.next, failing: .noUsableAnswer(.timeout))
        let bound = try ping.davinci().bound(to: PingDesk().caller())
        let step = try await bound.next(try await bound.start().flow, Answers(["username": "u"]))
        #expect(!step.leavesFlowUntouched && step.flow.isOver && ping.sent(ScriptedPingOne.next).count == 1)
    }

    /// A client whose settings list another origin.
    private func listing(_ scheme: String, _ ping: ScriptedPingOne) throws -> DaVinci {
        var settings = try ping.davinci().settings.client.settings
        settings.endpointOrigins = ["\(scheme)://orchestrate.pingone.example"]
        let other = OpenIDClient(
            settings, directory: ProviderDirectory(transport: ping.network, time: ping.time), transport: ping.network,
            time: ping.time)
        return try DaVinci.createDaVinci { config in
            config.transport = ping.network
            config.oidc(other)
        }
    }

    @Test func `takes no page whose links are not secret on their way, though their origin is listed`() async throws {
        let ping = try ScriptedPingOne()
        ping.starts(
            ScriptedPingOne.page(signOnFields).replacing(
                "https://auth.pingone.example/env/davinci", with: "http://orchestrate.pingone.example/v1/davinci"))
        let step = try await listing("http", ping).bound(to: PingDesk().caller()).start()
        #expect(step.reason == .linkNotAllowed)
    }

    @Test func `takes pages of other origins where the settings list them`() async throws {
        let ping = try ScriptedPingOne()
        ping.starts(
            ScriptedPingOne.page(signOnFields).replacing(
                "auth.pingone.example/env/davinci", with: "orchestrate.pingone.example/v1/davinci"))
        #expect(try await ping.davinci().bound(to: PingDesk().caller()).start().reason == .linkNotAllowed)
        let step = try await listing("https", ping).bound(to: PingDesk().caller()).start()
        #expect(step.page != nil)
        // A page that was stored under other settings leads nowhere.
        let calls = ping.network.requests.count
        let later = try await ping.davinci().bound(to: PingDesk().caller()).next(step.flow, Answers(["username": "u"]))
        #expect(later.reason == .linkNotAllowed && ping.network.requests.count == calls)
    }

    @Test func `asks for no challenge where its settings no longer allow the page`() async throws {
        let ping = try ScriptedPingOne()
        let own = #""self":{"href":"https://orchestrate.pingone.example/v1/davinci/x"}"#
        ping.starts(PollTests.challenge.replacing(#""_links":{"#, with: #""_links":{\#(own),"#))
        let step = try await listing("https", ping).bound(to: PingDesk().caller()).start()
        #expect(step.page != nil)
        let calls = ping.network.requests.count
        let later = try await ping.davinci().bound(to: PingDesk().caller()).next(step.flow, Answers(action: "poll"))
        #expect(later.reason == .linkNotAllowed && ping.network.requests.count == calls)
    }
}
