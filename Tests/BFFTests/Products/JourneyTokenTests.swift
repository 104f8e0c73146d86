import Basics
import HTTPCore
import JSON
import JourneyProduct
import OpenIDConnect
import TestSupport
import Testing

@testable import BFF

/// Every way in which tokens cannot be had, and what the use cases hear of it.
@Suite("A journey's tokens, in the words of the use cases,")
struct JourneyTokenTests {
    typealias Told = ScriptedSignIn.Told
    typealias Script = @Sendable (ScriptedSignIn) -> Void

    struct Row<Outcome: Sendable>: Sendable, CustomTestStringConvertible {
        let name: String
        let outcome: Outcome
        let script: Script
        var testDescription: String { name }

        init(_ name: String, _ outcome: Outcome, _ script: @escaping Script) {
            self.name = name
            self.outcome = outcome
            self.script = script
        }
    }

    private static let authorize = ScriptedSignIn.issuer + "/authorize"
    private static let userinfo = ScriptedSignIn.issuer + "/userinfo"
    private static let revoke = ScriptedSignIn.issuer + "/revoke"
    private static let login = ClientResponse.redirect(to: "https://am.example.com/openam/UI/Login?goto=x")
    private static let unknownClient = "client authentication: " + ScriptedSignIn.advice
    private static let busy = ClientResponse(status: 503, fields: [HTTPField(.retryAfter, known: "7")])
    private static let soon = TokenError.unavailable(retryAfter: .seconds(5))

    private static func oauth(_ error: String, _ status: Int = 400) -> ClientResponse {
        .json(#"{"error":"\#(error)"}"#, status: status)
    }

    @Test(
        "that cannot be had end the sign-in, and its session with it",
        arguments: [
            Row("consent", Told.failure("consent-required")) {
                $0.network.on(.get, authorize, answering: .consentPage)
            },
            Row("consent, by its error", .failure("consent-required")) {
                $0.authorizeRedirects("error=consent_required")
            },
            Row("the login page for a session that lives", .failure("unmet-authentication-requirements")) {
                $0.network.on(.get, authorize, answering: login)
            },
            Row(
                "a class not reached",
                .failure("unmet-authentication-requirements", check: "unmet_authentication_requirements")
            ) {
                $0.authorizeRedirects("error=unmet_authentication_requirements")
            },
            Row("a refusal", .failure("configuration-error", check: "unauthorized_client")) {
                $0.authorizeRedirects("error=unauthorized_client")
            },
            Row("no code", .failure("configuration-error", check: "code")) { $0.authorizeRedirects("x=y") },
            Row("an unknown client", .failure("configuration-error", check: unknownClient)) {
                $0.network.on(.post, ScriptedSignIn.tokens, answering: oauth("invalid_client", 401))
            },
            Row("no ID token", .failure("configuration-error", check: "missing")) {
                $0.network.on(
                    .post, ScriptedSignIn.tokens, answering: .json(#"{"access_token":"at-1","token_type":"Bearer"}"#))
            },
            Row("a spent code", .failure("provider-unavailable")) {
                $0.network.on(.post, ScriptedSignIn.tokens, answering: oauth("invalid_grant"))
            },
            Row("a failing provider", .failure("provider-unavailable")) {
                $0.network.on(.get, authorize, answering: ClientResponse(status: 500))
            },
            Row("a busy provider", .failure("provider-unavailable")) {
                $0.network.on(.get, authorize, answering: ClientResponse(status: 429))
            },
            Row("an unreachable provider", .failure("provider-unavailable")) {
                $0.network.on(.get, ScriptedSignIn.discovery, failing: .notReached(.connect))
            },
            Row("no document", .failure("configuration-error", check: "the discovery document answers with 404")) {
                $0.network.on(.get, ScriptedSignIn.discovery, answering: ClientResponse(status: 404))
            },
        ])
    func signIn(row: Row<Told>) async throws {
        let bench = try ScriptedSignIn()
        row.script(bench)
        let ended = try await bench.signIn()
        #expect(ended.told == row.outcome)
        #expect(ended.orphan == nil && ended.mismatch == nil)
        let logouts = bench.network.requests(to: ScriptedSignIn.sessions)
            .filter { $0.parameters?.single("_action") == "logout" }
        #expect(logouts.map { $0.header("iPlanetDirectoryPro") } == ["new.*A*"])
    }

    @Test("of a session that is gone at once leave nothing to end")
    func goneAtOnce() async throws {
        let bench = try ScriptedSignIn()
        bench.network.on(.get, Self.authorize, answering: Self.login)
        bench.network.on(
            .post, ScriptedSignIn.sessions,
            answering: .json(#"{"code":401,"reason":"Unauthorized","message":"Access Denied"}"#, status: 401))
        let ended = try await bench.signIn()
        guard case .failure("configuration-error", let check) = ended.told else {
            Issue.record("\(ended.told)")
            return
        }
        #expect(check?.contains("cookieName") == true && ended.orphan == nil)
    }

    @Test("tell the values of a check that may be told")
    func mismatch() async throws {
        let bench = try ScriptedSignIn()
        bench.authorizeRedirects("code=c1&iss=https://b.example.com")
        let ended = try await bench.signIn()
        #expect(ended.told == .failure("configuration-error", check: "iss"))
        #expect(ended.mismatch == Mismatch(expected: ScriptedSignIn.issuer, found: "https://b.example.com"))
    }

    @Test("come of the session alone")
    func authorizes() async throws {
        let bench = try ScriptedSignIn()
        var session = bench.stored("s1")
        let tokens = try await bench.client.authorize(session: &session, bench.caller()).tokens
        #expect(tokens.subject == "alice" && tokens.accessToken.reveal() == "at-1")
        let sent = bench.network.requests(to: Self.authorize).map { $0.header("iPlanetDirectoryPro") }
        #expect(sent == ["s1"])
    }

    @Test(
        "do not come of a session alone",
        arguments: [
            Row("of one that is gone", TokenError.sessionEnded) {
                $0.network.on(.get, authorize, answering: login)
                $0.network.on(.post, ScriptedSignIn.sessions, answering: .json(#"{"code":401}"#, status: 401))
            },
            Row("of one that lives", .tooWeak) { $0.network.on(.get, authorize, answering: login) },
            Row("before the user consents", .consentRequired) {
                $0.network.on(.get, authorize, answering: .consentPage)
            },
            Row("while AM does not tell whether it lives", soon) {
                $0.network.on(.get, authorize, answering: login)
                $0.network.on(.post, ScriptedSignIn.sessions, answering: ClientResponse(status: 500))
            },
            Row("of a busy provider", .unavailable(retryAfter: .seconds(7))) {
                $0.network.on(.get, authorize, answering: busy)
            },
            Row("of one that does not know us", .unknownClient(check: unknownClient)) {
                $0.network.on(.post, ScriptedSignIn.tokens, answering: oauth("invalid_client", 401))
            },
            Row("of one that refuses", .refused(check: "invalid_scope")) {
                $0.authorizeRedirects("error=invalid_scope")
            },
        ])
    func authorizeFaults(row: Row<TokenError>) async throws {
        let bench = try ScriptedSignIn()
        row.script(bench)
        await #expect(throws: row.outcome) {
            var session = bench.stored("s1")
            return try await bench.client.authorize(session: &session, bench.caller())
        }
    }

    @Test("do not come of a session that cannot be read, nor is such a one kept alive; nothing is sent")
    func unreadable() async throws {
        let bench = try ScriptedSignIn()
        await #expect(throws: TokenError.sessionEnded) {
            var session: [UInt8] = [9]
            return try await bench.client.authorize(session: &session, bench.caller())
        }
        await #expect(throws: TokenError.sessionEnded) { try await bench.client.keepSession([9], bench.caller()) }
        #expect(bench.network.requests.isEmpty)
    }

    @Test(
        "are not renewed",
        arguments: [
            Row("when they are spent", TokenError.invalidGrant) {
                $0.network.on(.post, ScriptedSignIn.tokens, answering: oauth("invalid_grant"))
            },
            Row("by a provider that is busy", .unavailable(retryAfter: .seconds(7))) {
                $0.network.on(.post, ScriptedSignIn.tokens, answering: busy)
            },
            Row("by one that cannot be reached", soon) {
                $0.network.on(.post, ScriptedSignIn.tokens, failing: .notReached(.connect))
            },
            Row("by one that does not know us", .unknownClient(check: unknownClient)) {
                $0.network.on(.post, ScriptedSignIn.tokens, answering: oauth("invalid_client", 401))
            },
            Row("by one that refuses", .refused(check: "unsupported_grant_type")) {
                $0.network.on(.post, ScriptedSignIn.tokens, answering: oauth("unsupported_grant_type"))
            },
        ])
    func renewed(row: Row<TokenError>) async throws {
        let bench = try ScriptedSignIn()
        row.script(bench)
        await #expect(throws: row.outcome) { try await bench.tokens.refresh(bench.tokenSet, deadline: bench.deadline) }
    }

    @Test(
        "do not lead to claims",
        arguments: [
            Row("when they are not taken", TokenError.invalidGrant) {
                $0.network.on(.get, userinfo, answering: oauth("invalid_token", 401))
            },
            Row("of another user", .refused(check: "userinfo")) {
                $0.network.on(.get, userinfo, answering: .json(#"{"sub":"bob"}"#))
            },
            Row("that they do not suffice for", .refused(check: "insufficient_scope")) {
                $0.network.on(.get, userinfo, answering: oauth("insufficient_scope", 403))
            },
            Row("that the provider no longer knows", .refused(check: "not_found")) {
                $0.network.on(.get, userinfo, answering: oauth("not_found", 404))
            },
            Row("that the provider does not give", .misconfigured(check: "no userinfo endpoint")) {
                $0.publish(userinfo: false)
            },
            Row("while it fails", soon) { $0.network.on(.get, userinfo, answering: ClientResponse(status: 500)) },
        ])
    func claims(row: Row<TokenError>) async throws {
        let bench = try ScriptedSignIn()
        row.script(bench)
        await #expect(throws: row.outcome) { try await bench.tokens.userinfo(bench.tokenSet, deadline: bench.deadline) }
    }

    @Test("are renewed, lead to claims and are revoked")
    func good() async throws {
        let bench = try ScriptedSignIn()
        bench.network.on(
            .post, ScriptedSignIn.tokens,
            answering: .json(#"{"access_token":"at-2","token_type":"Bearer","expires_in":300}"#))
        bench.network.on(.get, Self.userinfo, answering: .json(#"{"sub":"alice","name":"A"}"#))
        bench.network.on(.post, Self.revoke, answering: ClientResponse(status: 200))
        let renewed = try await bench.tokens.refresh(bench.tokenSet, deadline: bench.deadline)
        #expect(renewed.accessToken.reveal() == "at-2" && renewed.refreshToken?.reveal() == "rt-0")
        #expect(try await bench.tokens.userinfo(renewed, deadline: bench.deadline)["name"] == "A")
        try await bench.tokens.revoke(renewed, deadline: bench.deadline)
        #expect(
            bench.network.requests(to: Self.revoke).map { $0.form?.single("token") } == ["rt-0", "at-2"])
    }

    @Test(
        "are not revoked",
        arguments: [
            Row("where nothing can be asked for it", TokenError.unsupported) { $0.publish(revocation: false) },
            Row("by a provider that does not know us", .unknownClient(check: unknownClient)) {
                $0.network.on(.post, revoke, answering: ClientResponse(status: 401))
            },
            Row("by one that is busy", .unavailable(retryAfter: .seconds(7))) {
                $0.network.on(.post, revoke, answering: busy)
            },
            Row("by one that refuses", .refused(check: "invalid_request")) {
                $0.network.on(.post, revoke, answering: oauth("invalid_request"))
            },
        ])
    func revoked(row: Row<TokenError>) async throws {
        let bench = try ScriptedSignIn()
        row.script(bench)
        await #expect(throws: row.outcome) { try await bench.tokens.revoke(bench.tokenSet, deadline: bench.deadline) }
    }

    @Test(
        "and their session, which is not kept alive",
        arguments: [
            Row("once it is gone", TokenError.sessionEnded) {
                $0.network.on(.post, ScriptedSignIn.sessions, answering: .json(#"{"valid":false}"#))
            },
            Row("where AM does not allow it", .refused(check: "status 403")) {
                $0.network.on(.post, ScriptedSignIn.sessions, answering: .json("{}", status: 403))
            },
            Row("while AM is busy", soon) {
                $0.network.on(.post, ScriptedSignIn.sessions, answering: ClientResponse(status: 503))
            },
        ])
    func keepSession(row: Row<TokenError>) async throws {
        let bench = try ScriptedSignIn()
        try await bench.client.keepSession(bench.stored("s1"), bench.caller())
        row.script(bench)
        await #expect(throws: row.outcome) { try await bench.client.keepSession(bench.stored("s1"), bench.caller()) }
    }

    @Test("have a fault for each error of the OpenID client", arguments: mapping)
    func fault(error: OpenIDError, fault: TokenError) {
        #expect(TokenError(error) == fault)
    }

    private static let mapping: [(OpenIDError, TokenError)] = [
        (.rejected(code: "invalid_scope", status: 400), .refused(check: "invalid_scope")),
        (.rejected(code: "", status: 404), .refused(check: "status 404")), (.loginRequired, .tooWeak),
        (.noRefreshToken, .noRefreshToken),
        (.consentRequired, .consentRequired), (.invalidGrant, .invalidGrant),
        (.invalidClient, .unknownClient(check: "client authentication")), (.noRevocation, .unsupported),
        (.notReached, soon), (.busy(retryAfter: .seconds(7)), .unavailable(retryAfter: .seconds(7))),
        (.busy(retryAfter: nil), soon), (.noUsableAnswer, soon), (.cancelled, soon),
        (.invalidResponse(check: "state"), .refused(check: "state")),
        (.invalidIDToken(check: "nonce"), .refused(check: "nonce")), (.invalidUserinfo, .refused(check: "userinfo")),
        (.configuration("no key"), .misconfigured(check: "no key")),
    ]

    @Test("name for the log what an operator has to look at, and nothing for what passes by itself")
    func checks() {
        let mismatch = Mismatch(expected: "a", found: "b")
        #expect(TokenError.refused(check: "iss", mismatch).check == "iss")
        #expect(TokenError.refused(check: "iss", mismatch).mismatch == mismatch)
        #expect(
            TokenError.unknownClient(check: "c").check == "c" && TokenError.unknownClient(check: "c").mismatch == nil)
        #expect(TokenError.unsupported.check == "no such endpoint")
        for fault in [TokenError.invalidGrant, .sessionEnded, .tooWeak, .consentRequired, Self.soon] {
            #expect(fault.check == nil && fault.mismatch == nil)
        }
    }

    @Test("stand beside what may be shown of their session")
    func facts() throws {
        let bench = try ScriptedSignIn()
        let shown = bench.client.sessionFacts(bench.stored("s1"))
        #expect(shown == ["realm": "/alpha", "successUrl": "/console"])
        #expect(bench.client.sessionFacts([9]) == ["realm": "", "successUrl": nil])
        #expect(bench.client.kind == .journey)
    }
}
