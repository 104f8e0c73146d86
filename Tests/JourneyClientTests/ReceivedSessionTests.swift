import Basics
import HTTPCore
import JourneyClient
import OpenIDConnect
import Orchestrate
import StorageKit
import TestSupport
import Testing

@Suite("A success without tokenId")
struct ReceivedSessionTests {
    private let am: ScriptedAM
    private let desk = Desk()

    init() throws { am = try ScriptedAM() }

    private func answer(_ cookies: String...) throws -> ClientResponse {
        var answer = ClientResponse.json(#"{"tokenId":"","successUrl":"/am/console","realm":"/alpha"}"#)
        for cookie in cookies { answer.fields.append(try HTTPField(.setCookie, checking: cookie)) }
        return answer
    }

    private func start(_ answer: ClientResponse, _ options: StartOptions = StartOptions()) async throws -> FlowStep {
        am.network.on(.post, ScriptedAM.authenticate, answering: answer)
        return try await am.journey().bound(to: desk.caller()).start("Login", options)
    }

    private var name: String { ScriptedAM.cookieName }

    @Test func `has its session in the cookie`() async throws {
        let step = try await start(
            try answer("amlbcookie=01; Path=/", "\(name)=from-cookie.*A*; Domain=example.com; Path=/; HttpOnly; Secure")
        )
        let session = try #require(step.success?.session as? SSOSession)
        #expect(session.value.reveal() == "from-cookie.*A*")
        #expect(session.realm == "/alpha" && session.successURL == "/am/console")
        #expect(try await desk.session.get()?.value.reveal() == "from-cookie.*A*")
        #expect(session.cookies.names == ["amlbcookie"])
    }

    @Test func `takes the cookie of its name in place of the session that was sent`() async throws {
        try await desk.signIn("old", created: am.time.now())
        _ = try await start(try answer("\(name)=new; Path=/"), StartOptions(forceAuth: true))
        #expect(try await desk.session.get()?.value.reveal() == "new")
    }

    @Test func `keeps the session that was sent, once AM said that it lives`() async throws {
        try await desk.signIn("old", created: am.time.now())
        #expect(try await start(try answer()).success?.session.value.reveal() == "old")
        #expect(am.sent(ScriptedAM.sessions).first?.parameters?.single("_action") == "getSessionInfo")
        #expect(try await desk.session.get()?.value.reveal() == "old")
        #expect(am.sent(ScriptedAM.sessions).count == 1)
    }

    @Test func `does not keep one that AM has forgotten`() async throws {
        try await desk.signIn("old", created: am.time.now())
        am.set { $0.dead = ["old"] }
        guard case .configuration? = try await start(try answer()).cause else {
            Issue.record("expected a configuration error")
            return
        }
    }

    @Test(arguments: [
        [], ["other=x; Path=/"], ["NAME=; Path=/"], ["NAME=LOGOUT; Expires=Thu, 01 Jan 1970 00:00:10 GMT; Path=/"],
        ["NAME=x; Max-Age=0"], ["NAME=LOGOUT; Path=/"], ["NAME=\"x\"; Path=/"], ["NAME=good", "NAME=; Max-Age=0"],
        ["name=case; Path=/"],
    ])
    func `and without a session anywhere is a configuration error`(cookies: [String]) async throws {
        var answer = try answer()
        for cookie in cookies {
            answer.fields.append(
                try HTTPField(.setCookie, checking: cookie.replacing("NAME", with: ScriptedAM.cookieName)))
        }
        let step = try await start(answer)
        guard case .configuration(let what)? = step.cause else {
            Issue.record("\(step.node)")
            return
        }
        #expect(what.contains("tokenId"))
        #expect(try await desk.session.get() == nil)
    }

    @Test func `has none by right where none was wanted, whatever cookie comes`() async throws {
        try await desk.signIn("old", created: am.time.now())
        let step = try await start(try answer("\(name)=stray; Path=/"), StartOptions(noSession: true))
        #expect(step.success?.isSignedIn == false)
        #expect(try await desk.session.get()?.value.reveal() == "old")
        #expect(am.sent(ScriptedAM.sessions).isEmpty)
    }

    @Test func `goes on with the tokens of the session in the cookie`() async throws {
        am.network.on(.post, ScriptedAM.authenticate, answering: try answer("\(name)=from-cookie; Path=/"))
        let step = try await am.journey(oidc: true).bound(to: desk.caller()).start("Login")
        #expect(step.success?.isSignedIn == true)
        #expect(am.sent(ScriptedAM.oauth + "/authorize").first?.header("cookie") == "\(name)=from-cookie")
    }
}

@Suite("The cookies of a flow")
struct FlowCookieTests {
    private let am: ScriptedAM
    private let desk = Desk()

    init() throws { am = try ScriptedAM() }

    @Test func `never hold a second session, whatever AM sets and the settings name`() async throws {
        let name = ScriptedAM.cookieName
        var page = ClientResponse.json(loginPage)
        for cookie in ["\(name)=stray; Path=/", "NTID=1; Path=/", "AMAuthCookie=a; Path=/"] {
            page.fields.append(try HTTPField(.setCookie, checking: cookie))
        }
        am.network.on(.post, ScriptedAM.authenticate, answering: page)
        let journey = try am.journey {
            $0.balancerCookies = [name]
            $0.module(Modules.cookies)
        }
        let bound = journey.bound(to: desk.caller())
        _ = try await bound.next(try await bound.start("Login").flow)
        try await desk.signIn("mine", created: am.time.now())
        _ = try await bound.next(try await bound.start("Login").flow)
        let sent = am.sent(ScriptedAM.authenticate).map { CookieHeader($0.header("cookie") ?? "") }
        #expect(sent.map { $0.values(name) } == [[], [], ["mine"], ["mine"]])
        #expect(sent[1].single("NTID") == "1" && sent[3].single("AMAuthCookie") == "a")
    }

    @Test("go along with an answer to a page that sends the browser away, and with no other", arguments: [true, false])
    func redirects(_ isRedirect: Bool) async throws {
        let away = """
            {"authId":"a","callbacks":[{"type":"RedirectCallback","output":[\
            {"name":"redirectUrl","value":"https://idp.example.com/a"},{"name":"redirectMethod","value":"GET"}]}]}
            """
        var page = ClientResponse.json(isRedirect ? away : loginPage)
        page.fields.append(try HTTPField(.setCookie, checking: "NTID=1; Path=/"))
        am.network.on(.post, ScriptedAM.authenticate, answering: page)
        let bound = try am.journey().bound(to: desk.caller())
        _ = try await bound.next(try await bound.start("Login").flow)
        let sent = am.sent(ScriptedAM.authenticate).map { CookieHeader($0.header("cookie") ?? "").single("NTID") }
        #expect(sent == [nil, isRedirect ? "1" : nil])
    }
}
