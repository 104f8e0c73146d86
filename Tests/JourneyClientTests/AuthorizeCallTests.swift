import Basics
import HTTPCore
import JourneyClient
import OpenIDConnect
import Orchestrate
import StorageKit
import TestSupport
import Testing

@Suite("An authorization with a session")
struct AuthorizeCallTests {
    private let am: ScriptedAM
    private let desk = Desk()

    init() throws { am = try ScriptedAM() }

    private var sent: [ClientRequest] { am.sent(ScriptedAM.oauth + "/authorize") }

    private func token(_ session: SSOSession, parameters: [String: String] = [:]) async throws -> TokenSet {
        try await desk.session.save(session)
        let journey = try am.journey(oidc: true, parameters: parameters)
        return try await #require(try await journey.bound(to: desk.caller()).user()).token()
    }

    @Test("carries the session as header and as cookie, once each, and not in its address")
    func session() async throws {
        let secret = "session-secret-that-no-random-value-contains"
        var jar = CookieJar()
        let url = try #require(WebURL(ScriptedAM.oauth))
        for text in ["amlbcookie=01; Path=/", "\(ScriptedAM.cookieName)=another; Path=/", "x=1; Path=/"] {
            jar.store(try #require(SetCookie(parsing: text)), from: url, now: am.time.now())
        }
        _ = try await token(SSOSession(value: Secret(secret), cookies: jar, created: am.time.now()))
        let request = try #require(sent.last)
        #expect(request.method == .get && request.body.isEmpty)
        #expect(request.header(ScriptedAM.cookieName) == secret)
        #expect(request.header("accept-api-version") == "resource=2.1, protocol=1.0")
        #expect(request.header("cookie") == "\(ScriptedAM.cookieName)=\(secret); amlbcookie=01; x=1")
        #expect(request.header("authorization") == nil && request.header("accept") == nil)
        #expect(!request.url.text.contains(secret))
    }

    @Test(
        "refuses parameters that would end the session it stands on",
        arguments: [
            ("prompt", "login"), ("prompt", "consent"), ("prompt", "select_account"), ("prompt", "none login"),
            ("prompt", ""), ("max_age", "0"), ("max_age", "3600"),
        ])
    func sessionEnding(name: String, value: String) async throws {
        let fault = OpenIDError.configuration(
            "the parameter \(name) is not sent with a session; a forced sign-in does its work")
        await #expect(throws: JourneyTokenError.provider(fault)) {
            try await token(SSOSession(value: Secret("s1"), created: am.time.now()), parameters: [name: value])
        }
        #expect(sent.isEmpty)
    }

    @Test("sends other parameters of the settings")
    func parameters() async throws {
        let session = SSOSession(value: Secret("s1"), created: am.time.now())
        _ = try await token(session, parameters: ["prompt": "none", "claims": "x"])
        #expect(sent.last?.parameters?.single("prompt") == "none" && sent.last?.parameters?.single("claims") == "x")
    }

    @Test("is not sent without a session, or with one that is no cookie")
    func noSession() async throws {
        await #expect(throws: JourneyTokenError.self) {
            try await token(SSOSession(value: Secret(""), created: am.time.now() - .seconds(60)))
        }
        for value in ["a;b", "a, b", " a", "\"a\"", "a\\b", "a\r\nb", "ä"] {
            await #expect(throws: JourneyTokenError.provider(.invalidResponse(check: "session"))) {
                try await token(SSOSession(value: Secret(value), created: am.time.now()))
            }
        }
        #expect(sent.isEmpty)
    }

    @Test("gives no tokens to a caller who cannot keep them, and asks for none")
    func noStorage() async throws {
        am.steps(success("s1"))
        var storages = CallerStorages()
        storages[.session] = desk.session
        let caller = Caller(deadline: .now + .seconds(60), storages: storages)
        let step = try await am.journey(oidc: true).bound(to: caller).start("Login")
        guard case .moduleFailed(.success, let error as OpenIDError)? = step.cause else {
            Issue.record("\(step.node)")
            return
        }
        #expect(error == .configuration("the caller has no token storage"))
        #expect(sent.isEmpty)
        #expect(am.sent(ScriptedAM.sessions).last?.url.query == "_action=logout")
    }
}
