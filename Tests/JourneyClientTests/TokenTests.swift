import Basics
import HTTPCore
import JSON
import JourneyClient
import OpenIDConnect
import Orchestrate
import StorageKit
import TestSupport
import Testing

@Suite("The tokens of a journey")
struct JourneyTokenTests {
    private let am: ScriptedAM
    private let desk = Desk()

    init() throws { am = try ScriptedAM() }

    private var bound: BoundJourney {
        get throws { try am.journey(oidc: true).bound(to: desk.caller()) }
    }

    private var authorizations: Int { am.sent(ScriptedAM.oauth + "/authorize").count }
    private var tokenRequests: [ClientRequest] { am.sent(ScriptedAM.oauth + "/access_token") }
    private var revocations: [ClientRequest] { am.sent(ScriptedAM.oauth + "/token/revoke") }

    @Test func `are obtained with the session when the journey succeeds`() async throws {
        // Long enough that no random challenge or state contains it by chance.
        let session = "the-session-of-the-journey"
        am.steps(success(session))
        let step = try await bound.start("Login", StartOptions(acrValues: ["gold", "silver"]))
        #expect(step.success?.isSignedIn == true)
        #expect(try await desk.tokens.get()?.accessToken.reveal() == "at-1")
        let sent = try #require(am.sent(ScriptedAM.oauth + "/authorize").first)
        #expect(sent.header(ScriptedAM.cookieName) == session)
        #expect(sent.header("cookie") == "\(ScriptedAM.cookieName)=\(session)")
        #expect(sent.parameters?.single("acr_values") == "gold silver")
        #expect(sent.url.query?.contains(session) == false)
    }

    @Test func `are not asked for without a session`() async throws {
        am.steps("{}")
        _ = try await bound.start("Login", StartOptions(noSession: true))
        #expect(authorizations == 0)
        #expect(try await desk.tokens.get() == nil)
    }

    @Test func `carry the load balancer's cookies to the authorization server`() async throws {
        var answer = ClientResponse.json(success("s1"))
        answer.fields.set(.setCookie, "amlbcookie=01; Path=/; Secure")
        am.network.on(.post, ScriptedAM.authenticate, answering: answer)
        _ = try await bound.start("Login")
        #expect(
            am.sent(ScriptedAM.oauth + "/authorize").first?.header("cookie")
                == "\(ScriptedAM.cookieName)=s1; amlbcookie=01")
    }

    @Test(arguments: [(0, []), (1, [Duration.milliseconds(100)]), (2, [.milliseconds(100), .milliseconds(400)])])
    func `wait for a session that has not reached every server yet`(redirects: Int, waits: [Duration]) async throws {
        am.steps(success("s1"))
        am.set { $0.loginRedirects = redirects }
        #expect(try await bound.start("Login").success != nil)
        #expect(am.waits == waits)
        #expect(authorizations == redirects + 1)
        #expect(am.sent(ScriptedAM.sessions).isEmpty)
    }

    @Test func `are refused to a session that stays too weak, and a session of this flow is ended`() async throws {
        am.steps(success("s1"))
        am.set { $0.loginRedirects = 100 }
        let step = try await bound.start("Login")
        guard case .moduleFailed(.success, JourneyTokenError.tooWeak)? = step.cause else {
            Issue.record("\(step.node)")
            return
        }
        #expect(authorizations == 3)
        #expect(
            am.sent(ScriptedAM.sessions).map(\.url.query) == ["_action=getSessionInfo&refresh=false", "_action=logout"])
        #expect(try await desk.session.get() == nil)
    }

    @Test func `that are refused leave a session that was there before alone`() async throws {
        try await desk.signIn("s0", created: am.time.now())
        am.steps(success("s1"))
        am.set { $0.loginRedirects = 100 }
        let step = try await bound.start("StepUp", StartOptions(forceAuth: true))
        #expect(step.cause != nil)
        #expect(try await desk.session.get()?.value.reveal() == "s1")
        #expect(am.sent(ScriptedAM.sessions).map(\.url.query) == ["_action=getSessionInfo&refresh=false"])
    }

    @Test func `cannot be had for a session that AM has forgotten`() async throws {
        try await desk.signIn("s1", created: am.time.now())
        am.steps(success("s1"))
        am.set { $0.dead = ["s1"] }
        guard case .moduleFailed(.success, JourneyTokenError.sessionEnded)? = try await bound.start("Login").cause
        else {
            Issue.record("expected an ended session")
            return
        }
        #expect(try await desk.session.get() == nil)
    }

    @Test func `of an outage end the flow, and the answers are not sent again`() async throws {
        am.steps(loginPage, success("s1"))
        am.network.on(.post, ScriptedAM.oauth + "/access_token", failing: .notReached(.connect))
        let first = try await bound.start("Login")
        let step = try await bound.next(first.flow)
        guard case .moduleFailed(.success, JourneyTokenError.provider(.notReached))? = step.cause else {
            Issue.record("\(step.node)")
            return
        }
        #expect(step.flow.isOver)
        #expect(am.sent(ScriptedAM.sessions).last?.url.query == "_action=logout")
    }

    @Test func `of a former user are revoked when another signs in`() async throws {
        am.set { $0.subjects = ["s1": "alice", "s2": "bob"] }
        am.steps(success("s1"), success("s2"), success("s2"))
        _ = try await bound.start("Login")
        _ = try await bound.start("Login")
        #expect(revocations.compactMap { $0.form?.single("token") } == ["rt-1", "at-1"])
        #expect(try await desk.tokens.get()?.subject == "bob")
        _ = try await bound.start("Login")
        #expect(revocations.count == 2)
    }
}
