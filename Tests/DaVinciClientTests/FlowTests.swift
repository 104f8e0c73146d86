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
struct FlowTests {
    @Test func `begins with an authorization that asks for pages, and names the SDK on every call`() async throws {
        let ping = try ScriptedPingOne()
        ping.starts(ScriptedPingOne.page(signOnFields))
        var options = DaVinciStartOptions()
        options.policy = "policy-2"
        options.prompt = "login"
        options.maxAge = .seconds(300)
        options.loginHint = "a+b@c.d"
        options.parameters = ["customKey": "v"]
        let desk = PingDesk()
        let davinci = try ping.davinci(oidc: { $0.acrValues = ["policy-1"] })
        let step = try await davinci.bound(to: desk.caller("en-GB")).start(options)
        #expect(
            step.page?.collectors.map(\.type) == [
                "TextCollector", "PasswordCollector", "SubmitCollector", "FlowCollector",
            ])
        let start = try #require(ping.sent(ScriptedPingOne.authorize).first)
        let sent = try #require(start.parameters)
        let fixed = [
            "response_mode": "pi.flow", "response_type": "code", "client_id": "web", "scope": "openid",
            "prompt": "login",
            "redirect_uri": "https://app.example.com/callback", "acr_values": "policy-2", "max_age": "300",
            "login_hint": "a+b@c.d", "customKey": "v", "code_challenge_method": "S256",
        ]
        for (name, value) in fixed { #expect(sent.single(name) == value, "\(name)") }
        for name in ["state", "nonce", "code_challenge"] { #expect(sent.single(name).map { $0.count > 20 } == true) }
        #expect(start.field("Accept") == "application/json" && start.field("Accept-Language") == "en-GB, en;q=0.9")
        for call in ping.network.requests {
            #expect(call.field("x-requested-with") == "ping-sdk" && call.field("x-requested-platform") == "javascript")
        }
    }

    @Test func `keeps the language of its start, with those of the settings before or in place of it`() async throws {
        for (mode, expected) in [(LanguagePreference.Mode.append, "fr, de-CH;q=0.9, de;q=0.8"), (.override, "fr")] {
            let ping = try ScriptedPingOne()
            ping.starts(ScriptedPingOne.page(signOnFields))
            ping.answers(ScriptedPingOne.page(signOnFields))
            let davinci = try ping.davinci { $0.languages = LanguagePreference(mode: mode, ["fr"]) }
            let desk = PingDesk()
            let step = try await davinci.bound(to: desk.caller("de-CH")).start()
            _ = try await davinci.bound(to: desk.caller("it")).next(step.flow, Answers(["username": "u"]))
            for call in [ScriptedPingOne.authorize, ScriptedPingOne.next].flatMap(ping.sent) {
                #expect(call.field("Accept-Language") == expected)
            }
        }
    }

    @Test func `asks for as many languages as fit 256 bytes`() async throws {
        let ping = try ScriptedPingOne()
        ping.starts(ScriptedPingOne.page(signOnFields))
        let davinci = try ping.davinci { config in
            config.languages = LanguagePreference((0..<30).map { "abcdefgh-ab\($0)" })
        }
        _ = try await davinci.bound(to: PingDesk().caller()).start()
        let field = ping.sent(ScriptedPingOne.authorize).first?.field("Accept-Language") ?? ""
        #expect((200...256).contains(field.utf8.count) && field.hasSuffix(";q=0.1"))
    }

    @Test func `begins by POST where that is set`() async throws {
        let ping = try ScriptedPingOne()
        ping.starts(ScriptedPingOne.page(signOnFields))
        let step = try await ping.davinci { $0.startsBy = .post }.bound(to: PingDesk().caller()).start()
        let start = try #require(ping.sent(ScriptedPingOne.authorize).first)
        #expect(step.page != nil && start.method == .post && start.url.query == nil)
        #expect(start.form?.single("response_mode") == "pi.flow" && start.form?.single("state") != nil)
    }

    @Test func `pushes its parameters first where that is set, and then names them alone`() async throws {
        let ping = try ScriptedPingOne()
        ping.starts(ScriptedPingOne.page(signOnFields))
        ping.answers(ScriptedPingOne.success)
        let bound = try ping.davinci(oidc: { $0.par = true }).bound(to: PingDesk().caller())
        let step = try await bound.start()
        let pushed = try #require(ping.sent(ScriptedPingOne.base + "/as/par").first?.form)
        #expect(pushed.single("response_mode") == "pi.flow" && pushed.all("client_id") == ["web"])
        #expect(pushed.single("code_challenge") != nil && pushed.single("nonce") != nil)
        let sent = ping.sent(ScriptedPingOne.authorize).first?.parameters?.pairs.map { "\($0.name)=\($0.value)" }
        #expect(sent?.sorted() == ["client_id=web", "request_uri=urn:x", "response_mode=pi.flow"])
        #expect(try await bound.next(step.flow, Answers(["username": "u"])).success != nil)
    }

    @Test(
        "fails when its parameters cannot be pushed, and sends nothing else",
        arguments: [
            ClientResponse.json(#"{"error":"invalid_request"}"#, status: 400), .json("{}", status: 401),
            .json(#"{"request_uri":"urn:x"}"#), .json("{}", status: 201), .json("{}", status: 500),
        ])
    func notPushed(_ answer: ClientResponse) async throws {
        let ping = try ScriptedPingOne()
        ping.network.on(.post, ScriptedPingOne.base + "/as/par", answering: answer)
        let step = try await ping.davinci(oidc: { $0.par = true }).bound(to: PingDesk().caller()).start()
        #expect(step.cause != nil && ping.sent(ScriptedPingOne.authorize).isEmpty)
        #expect((step.reason == .configuration) == (400..<500 ~= answer.status))
    }

    @Test("takes no sign-in that is older than was asked", arguments: [(10, true), (3600, false)])
    func age(_ seconds: Int64, _ isTaken: Bool) async throws {
        let ping = try ScriptedPingOne()
        ping.starts(ScriptedPingOne.success)
        ping.signsIn(ago: seconds)
        var options = DaVinciStartOptions()
        options.maxAge = .seconds(300)
        let step = try await ping.davinci().bound(to: PingDesk().caller()).start(options)
        #expect((step.success != nil) == isTaken)
    }

    @Test(
        "takes no parameter that the client sets itself",
        arguments: ["state", "redirect_uri", "response_mode", "nonce"])
    func reserved(_ name: String) async throws {
        let ping = try ScriptedPingOne()
        var options = DaVinciStartOptions()
        options.parameters = [name: "x"]
        let step = try await ping.davinci().bound(to: PingDesk().caller()).start(options)
        if case .configuration = step.cause {} else { Issue.record("\(String(describing: step.cause))") }
        #expect(ping.sent(ScriptedPingOne.authorize).isEmpty)
    }

    @Test func `is built with one policy at most, and with a client`() throws {
        #expect(throws: DaVinciConfigurationError.acrValues) {
            _ = try ScriptedPingOne().davinci(oidc: { $0.acrValues = ["a", "b"] })
        }
        #expect(throws: DaVinciConfigurationError.oidc("it is missing")) { _ = try DaVinci.createDaVinci { _ in } }
        #expect(throws: DaVinciConfigurationError.oidc("clientID is missing")) {
            _ = try ScriptedPingOne().davinci(oidc: { $0.clientID = "" })
        }
        #expect(throws: DaVinciConfigurationError.platform) {
            _ = try ScriptedPingOne().davinci { $0.platform = "a\nb" }
        }
    }

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
            (ClientResponse(status: 500), false),
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
        Answered(200, #"{"authorizeResponse":{}}"#, .providerUnavailable, start: .providerUnavailable),
        Answered(200, #"{"status":"COMPLETED"}"#, .providerUnavailable, start: .configuration),
        Answered(
            200, #"{"resumeUrl":"https://x.example","status":"USERNAME_PASSWORD_REQUIRED"}"#, .providerUnavailable,
            start: .configuration),
        Answered(201, #"{"status":"COMPLETED"}"#, .providerUnavailable, start: .configuration),
        Answered(302, "", .configuration, start: .configuration),
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

    @Test func `takes pages of other origins where the settings list them`() async throws {
        let ping = try ScriptedPingOne()
        ping.starts(
            ScriptedPingOne.page(signOnFields).replacing(
                "auth.pingone.example/env/davinci", with: "orchestrate.pingone.example/v1/davinci"))
        let client = try ping.davinci().settings.client
        var settings = client.settings
        settings.endpointOrigins = ["https://orchestrate.pingone.example"]
        let other = OpenIDClient(
            settings, directory: ProviderDirectory(transport: ping.network, time: ping.time), transport: ping.network,
            time: ping.time)
        #expect(try await ping.davinci().bound(to: PingDesk().caller()).start().reason == .linkNotAllowed)
        let step = try await DaVinci.createDaVinci { config in
            config.transport = ping.network
            config.oidc(other)
        }.bound(to: PingDesk().caller()).start()
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
        var settings = try ping.davinci().settings.client.settings
        settings.endpointOrigins = ["https://orchestrate.pingone.example"]
        let other = OpenIDClient(
            settings, directory: ProviderDirectory(transport: ping.network, time: ping.time), transport: ping.network,
            time: ping.time)
        let step = try await DaVinci.createDaVinci { config in
            config.transport = ping.network
            config.oidc(other)
        }.bound(to: PingDesk().caller()).start()
        #expect(step.page != nil)
        let calls = ping.network.requests.count
        let later = try await ping.davinci().bound(to: PingDesk().caller()).next(step.flow, Answers(action: "poll"))
        #expect(later.reason == .linkNotAllowed && ping.network.requests.count == calls)
    }

    // MARK: Pages

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
