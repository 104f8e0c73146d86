import Basics
import HTTPCore
import JSON
import JourneyClient
import OpenIDConnect
import Orchestrate
import StorageKit
import TestSupport
import Testing

@Suite("A journey's user")
struct JourneyUserTests {
    private let am: ScriptedAM
    private let desk = Desk()
    private let journey: Journey

    init() throws {
        am = try ScriptedAM()
        journey = try am.journey(oidc: true)
    }

    private func signedIn() async throws -> JourneyUser {
        am.steps(success("s1"))
        let bound = journey.bound(to: desk.caller())
        _ = try await bound.start("Login")
        return try #require(try await bound.user())
    }

    private var tokenRequests: [ClientRequest] { am.sent(ScriptedAM.oauth + "/access_token") }

    @Test func `is nobody without session and tokens, and nothing is sent`() async throws {
        #expect(try await journey.bound(to: desk.caller()).user() == nil)
        #expect(am.network.requests.isEmpty)
    }

    @Test func `has tokens without any request while they are fresh`() async throws {
        let user = try await signedIn()
        am.network.forgetRequests()
        am.time.advance(by: .seconds(239))
        #expect(try await user.token().accessToken.reveal() == "at-1")
        #expect(am.network.requests.isEmpty)
    }

    @Test func `has them renewed a minute before they end, and kept`() async throws {
        let user = try await signedIn()
        am.time.advance(by: .seconds(240))
        #expect(try await user.token().accessToken.reveal() == "at-2")
        #expect(tokenRequests.last?.form?.single("refresh_token") == "rt-1")
        #expect(try await desk.tokens.get()?.refreshToken?.reveal() == "rt-2")
        #expect(try await user.token().accessToken.reveal() == "at-2")
    }

    @Test func `has them renewed once for callers that come together`() async throws {
        let user = try await signedIn()
        am.time.advance(by: .seconds(400))
        let gate = Gate()
        am.network.on(.post, ScriptedAM.oauth + "/access_token") { _ throws(TransportError) in
            await gate.pass()
            return .json(#"{"access_token":"at-9","refresh_token":"rt-9","token_type":"Bearer","expires_in":300}"#)
        }
        am.network.forgetRequests()
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<10 { group.addTask { try await user.token().accessToken.reveal() } }
            await gate.waitUntilHeld()
            gate.open()
            for try await token in group { #expect(token == "at-9") }
        }
        #expect(tokenRequests.count == 1)
    }

    @Test func `never sends a spent refresh token for a caller that comes late`() async throws {
        let user = try await signedIn()
        am.time.advance(by: .seconds(400))
        let old = try #require(try await desk.tokens.get())
        let renewed = try await user.token()
        // Another request of the same user had read the old tokens before they were replaced.
        var caller = desk.caller()
        caller.storages[.tokens] = LateStorage(old, looks: 1, then: desk.tokens)
        let late = try #require(try await journey.bound(to: caller).user())
        #expect(try await late.refresh().accessToken == renewed.accessToken)
        #expect(tokenRequests.map { $0.form?.single("refresh_token") } == [nil, "rt-1"])
    }

    @Test func `does not get tokens back that were forgotten while they were to be renewed`() async throws {
        let user = try await signedIn()
        let old = try #require(try await desk.tokens.get())
        _ = await user.logout()
        am.network.forgetRequests()
        var caller = desk.caller()
        caller.storages[.tokens] = LateStorage(old, looks: 2, then: desk.tokens)
        let late = try #require(try await journey.bound(to: caller).user())
        await #expect(throws: JourneyTokenError.noSession) { try await late.refresh() }
        #expect(am.network.requests.isEmpty)
        #expect(try await desk.tokens.get() == nil)
    }

    @Test func `gets new ones for the session when the provider has spent the old`() async throws {
        let user = try await signedIn()
        am.time.advance(by: .seconds(400))
        let answers = Locked(0)
        am.set { $0.tokenFault = (400, "invalid_grant") }
        am.network.on(.get, ScriptedAM.oauth + "/authorize") { [am] request in
            am.set { $0.tokenFault = nil }
            answers.withLock { $0 += 1 }
            am.set { $0.nonce = request.parameters?.single("nonce") ?? "" }
            return .redirect(
                to: "https://app.example.com/bff/code?code=c2&state=\(request.parameters?.single("state") ?? "")")
        }
        #expect(try await user.token().subject == "demo")
        #expect(answers.withLock { $0 } == 1)
        #expect(try await desk.tokens.get() != nil)
    }

    /// Signs in, and then lets AM state a newer and another sign-in.
    private func signedInBefore() async throws -> (JourneyUser, Timestamp) {
        let proven = am.time.now()
        am.set {
            $0.authTime = proven
            $0.acr = "silver"
        }
        let user = try await signedIn()
        am.time.advance(by: .seconds(400))
        am.set {
            $0.authTime = proven + .seconds(390)
            $0.acr = "gold"
        }
        return (user, proven)
    }

    @Test(arguments: ["refresh", "spent", "no refresh token"])
    func `never gains a newer or stronger sign-in by tokens that nobody was asked for`(way: String) async throws {
        am.set { $0.givesRefreshTokens = way != "no refresh token" }
        let (user, proven) = try await signedInBefore()
        if way == "spent" { am.set { $0.refreshFault = (400, "invalid_grant") } }
        let renewed = try await user.token()
        #expect(renewed.accessToken.reveal() != "at-1")
        #expect(renewed.authTime == proven && renewed.acrs == ["silver", "gold"] && renewed.acr == nil)
        #expect(try await desk.tokens.get() == renewed)
    }

    @Test func `has what the tokens of another user prove, whose session it is now`() async throws {
        let (user, proven) = try await signedInBefore()
        am.set {
            $0.refreshFault = (400, "invalid_grant")
            $0.subjects["s1"] = "alice"
        }
        let renewed = try await user.token()
        #expect(renewed.subject == "alice" && renewed.authTime == proven + .seconds(390) && renewed.acrs == ["gold"])
        // Nobody has the former user's any more who could use or revoke them.
        let revoked = am.sent(ScriptedAM.oauth + "/token/revoke").map { $0.form?.single("token") }
        #expect(revoked.contains("rt-1"))
    }

    @Test func `loses tokens and session when neither is good any more`() async throws {
        let user = try await signedIn()
        am.time.advance(by: .seconds(400))
        am.set {
            $0.tokenFault = (400, "invalid_grant")
            $0.dead = ["s1"]
        }
        await #expect(throws: JourneyTokenError.sessionEnded) { try await user.token() }
        #expect(try await desk.tokens.get() == nil)
        #expect(try await desk.session.get() == nil)
        await #expect(throws: JourneyTokenError.noSession) { try await user.token() }
        // Long after the sign-in a login redirect is no replication lag.
        #expect(am.waits.isEmpty)
    }

    @Test(arguments: [(503, "temporarily_unavailable"), (500, "server_error"), (401, "invalid_client")])
    func `keeps tokens through an outage and uses what has not ended`(status: Int, error: String) async throws {
        let user = try await signedIn()
        am.set { $0.tokenFault = (status, error) }
        am.time.advance(by: .seconds(250))
        #expect(try await user.token().accessToken.reveal() == "at-1")
        am.time.advance(by: .seconds(100))
        await #expect(throws: JourneyTokenError.self) { try await user.token() }
        await #expect(throws: JourneyTokenError.self) { try await user.refresh() }
        #expect(try await desk.tokens.get()?.refreshToken?.reveal() == "rt-1")
        #expect(am.sent(ScriptedAM.oauth + "/token/revoke").isEmpty)
    }

    @Test func `gets no token back that was refused, when there are no new ones either`() async throws {
        let user = try await signedIn()
        // The access token has not expired yet, but the provider has ended the grant.
        am.time.advance(by: .seconds(280))
        am.set { $0.refreshFault = (400, "invalid_grant") }
        am.network.on(.get, ScriptedAM.oauth + "/authorize") { _ in ClientResponse(status: 503) }
        await #expect(throws: JourneyTokenError.provider(.busy(retryAfter: nil))) { try await user.token() }
        #expect(try await desk.tokens.get() == nil)
    }

    @Test func `does not trust tokens from the future`() async throws {
        let user = try await signedIn()
        am.time.advance(by: .seconds(-3600))
        _ = try await user.token()
        #expect(tokenRequests.count == 2)
    }

    @Test func `is too weak for what is asked while AM still knows the session`() async throws {
        let user = try await signedIn()
        try await desk.tokens.delete()
        am.time.advance(by: .seconds(10))
        am.set { $0.loginRedirects = 100 }
        await #expect(throws: JourneyTokenError.tooWeak) { try await user.token() }
        #expect(try await desk.session.get() != nil)
        #expect(am.waits.isEmpty)
    }

    @Test func `keeps the session when AM does not say whether it lives`() async throws {
        let user = try await signedIn()
        try await desk.tokens.delete()
        am.time.advance(by: .seconds(10))
        am.set { $0.loginRedirects = 100 }
        for (answer, expected) in [
            (ClientResponse.json("{}", status: 503), OpenIDError.busy(retryAfter: nil)),
            (.html("bad gateway", status: 502), .noUsableAnswer),
        ] {
            am.network.on(.post, ScriptedAM.sessions, answering: answer)
            await #expect(throws: JourneyTokenError.provider(expected)) { try await user.token() }
        }
        am.network.on(.post, ScriptedAM.sessions, failing: .notReached(.resolve))
        await #expect(throws: JourneyTokenError.provider(.notReached)) { try await user.token() }
        #expect(try await desk.session.get() != nil)
    }

    @Test func `has claims, asked with a token that is renewed once when it is not taken`() async throws {
        let user = try await signedIn()
        #expect(try await user.userinfo()["name"]?.string == "N")
        am.set { $0.userinfoStatus = 401 }
        await #expect(throws: JourneyTokenError.provider(.invalidGrant)) { try await user.userinfo() }
        #expect(
            am.sent(ScriptedAM.oauth + "/userinfo").map { $0.header("authorization") }
                == ["Bearer at-1", "Bearer at-1", "Bearer at-2"])
    }

    @Test func `has claims that are kept only where that is asked for, and for its own user`() async throws {
        let user = try await signedIn()
        func asked() -> Int { am.sent(ScriptedAM.oauth + "/userinfo").count }
        _ = try await user.userinfo(cache: false)
        _ = try await user.userinfo(cache: true)
        #expect(asked() == 2)
        #expect(try await user.userinfo(cache: true)["name"]?.string == "N" && asked() == 2)
        _ = try await user.userinfo()
        #expect(asked() == 3)
        // Another user's tokens lie there now.
        var other = try #require(try await desk.tokens.get())
        other.subject = "somebody-else"
        try await desk.tokens.save(other)
        await #expect(throws: JourneyTokenError.provider(.invalidUserinfo)) { try await user.userinfo(cache: true) }
        #expect(asked() == 4)
    }

    @Test func `keeps no claims beyond a revocation`() async throws {
        let user = try await signedIn()
        _ = try await user.userinfo(cache: true)
        let tokens = try #require(try await desk.tokens.get())
        try await user.revoke()
        try await desk.tokens.save(tokens)
        _ = try await user.userinfo(cache: true)
        #expect(am.sent(ScriptedAM.oauth + "/userinfo").count == 2)
    }

    @Test func `forgets tokens that are revoked, whatever the provider says, and gets new ones silently`() async throws
    {
        let user = try await signedIn()
        am.set { $0.revokeStatus = 503 }
        await #expect(throws: JourneyTokenError.self) { try await user.revoke() }
        #expect(try await desk.tokens.get() == nil)
        #expect(try await user.token().accessToken.reveal() == "at-2")
        am.set { $0.revokeStatus = 200 }
        try await user.revoke()
        try await user.revoke()
        #expect(try await desk.session.get() != nil)
    }

    @Test func `is gone after logout`() async throws {
        let user = try await signedIn()
        #expect(await user.logout().isComplete)
        #expect(try await journey.bound(to: desk.caller()).user() == nil)
    }

    @Test func `says when a store fails, and nothing is sent`() async throws {
        var caller = desk.caller()
        caller.storages[.tokens] = FailingStorage<TokenSet>(reading: .unavailable)
        await #expect(throws: JourneyTokenError.store(.unavailable)) {
            try await journey.bound(to: caller).user()
        }
        #expect(am.network.requests.isEmpty)
    }
}

/// What a request sees that read its tokens just before another one replaced them.
private final class LateStorage: Storage {
    private let old: TokenSet
    private let looks: Locked<Int>
    private let real: MemoryStorage<TokenSet>

    /// Shows the old tokens for some looks: `user()` looks once when there is no session, a renewal once to begin with.
    init(_ old: TokenSet, looks: Int, then real: MemoryStorage<TokenSet>) {
        self.old = old
        self.looks = Locked(looks)
        self.real = real
    }

    func save(_ item: TokenSet) async throws(StorageError) { try await real.save(item) }

    func get() async throws(StorageError) -> TokenSet? {
        let isEarly = looks.withLock { left in
            left -= 1
            return left >= 0
        }
        return isEarly ? old : try await real.get()
    }

    func delete() async throws(StorageError) { try await real.delete() }
}
