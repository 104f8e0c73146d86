import Basics
import DaVinciClient
import HTTPCore
import JSON
import OpenIDConnect
import Orchestrate
import StorageKit
import TestSupport
import Testing

@Suite("The user of a DaVinci flow")
struct DaVinciUserTests {
    private let ping: ScriptedPingOne
    private let desk = PingDesk()
    private let davinci: DaVinci

    init() throws {
        ping = try ScriptedPingOne(hasUserinfo: true)
        davinci = try ping.davinci()
    }

    private func signedIn() async throws -> DaVinciUser {
        ping.starts(ScriptedPingOne.success)
        let bound = davinci.bound(to: desk.caller())
        _ = try await bound.start()
        return try #require(try await bound.user())
    }

    /// What the token endpoint says from now on.
    private func tokens(_ body: String, status: Int = 200) {
        ping.network.on(.post, ScriptedPingOne.token, answering: .json(body, status: status))
    }

    private static let renewed =
        #"{"access_token":"at-2","refresh_token":"rt-2","token_type":"Bearer","expires_in":300}"#

    @Test func `is nobody without session and tokens, and nothing is sent`() async throws {
        #expect(try await davinci.bound(to: desk.caller()).user() == nil)
        #expect(ping.network.requests.isEmpty)
    }

    @Test func `has tokens without any request while they are fresh`() async throws {
        let user = try await signedIn()
        ping.network.forgetRequests()
        ping.time.advance(by: .seconds(239))
        #expect(try await user.token().accessToken.reveal() == "at-1")
        #expect(ping.network.requests.isEmpty)
    }

    @Test func `has them renewed a minute before they end, and kept`() async throws {
        let user = try await signedIn()
        tokens(Self.renewed)
        ping.time.advance(by: .seconds(240))
        #expect(try await user.token().accessToken.reveal() == "at-2")
        #expect(ping.sent(ScriptedPingOne.token).last?.form?.single("refresh_token") == "rt-1")
        #expect(try await desk.tokens.get()?.refreshToken?.reveal() == "rt-2")
    }

    @Test func `has them renewed once for callers that come together`() async throws {
        let user = try await signedIn()
        ping.time.advance(by: .seconds(400))
        ping.network.forgetRequests()
        let gate = Gate()
        ping.network.on(.post, ScriptedPingOne.token) { _ throws(TransportError) in
            await gate.pass()
            return .json(Self.renewed)
        }
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<10 { group.addTask { try await user.token().accessToken.reveal() } }
            await gate.waitUntilHeld()
            gate.open()
            for try await token in group { #expect(token == "at-2") }
        }
        #expect(ping.sent(ScriptedPingOne.token).count == 1)
    }

    @Test func `gets new ones by a start that shows nothing, once those at hand are spent`() async throws {
        let user = try await signedIn()
        tokens(#"{"error":"invalid_grant"}"#, status: 400)
        ping.starts(#"{"error":{"code":"login_required"},"status":"FAILED"}"#)
        await #expect(throws: DaVinciTokenError.loginRequired) { _ = try await user.refresh() }
        #expect(ping.sent(ScriptedPingOne.authorize).last?.parameters?.single("prompt") == "none")
        #expect(try await desk.tokens.get() == nil)
        // A page, where none was asked for, is the same.
        ping.starts(ScriptedPingOne.page(""))
        await #expect(throws: DaVinciTokenError.loginRequired) { _ = try await user.token() }
    }

    @Test("has new ones without a refresh token by one start, which prove no more than the sign-in did")
    func withoutRefreshToken() async throws {
        ping.givesNoRefreshTokens()
        let user = try await signedIn()
        let before = try await desk.tokens.get()?.authTime
        ping.time.advance(by: .seconds(400))
        ping.network.forgetRequests()
        try await withThrowingTaskGroup(of: TokenSet.self) { group in
            for _ in 0..<10 { group.addTask { try await user.token() } }
            for try await tokens in group { #expect(tokens.authTime == before) }
        }
        #expect(try await desk.tokens.get()?.authTime == before)
        #expect(ping.sent(ScriptedPingOne.authorize).count == 1)
    }

    @Test func `keeps an access token that has not ended while PingOne has trouble`() async throws {
        let user = try await signedIn()
        tokens("{}", status: 503)
        ping.time.advance(by: .seconds(299))
        #expect(try await user.token().accessToken.reveal() == "at-1")
        ping.time.advance(by: .seconds(1))
        await #expect(throws: DaVinciTokenError.self) { _ = try await user.token() }
        #expect(try await desk.tokens.get()?.refreshToken?.reveal() == "rt-1")
    }

    @Test func `has claims, asked with renewed tokens where the first were refused`() async throws {
        let user = try await signedIn()
        tokens(Self.renewed)
        ping.network.on(.get, ScriptedPingOne.userinfo) { request in
            request.field("Authorization") == "Bearer at-2"
                ? .json(#"{"sub":"user-1","email":"demo@example.com"}"#)
                : .json(#"{"error":"invalid_token"}"#, status: 401)
        }
        #expect(try await user.userinfo()["email"] == "demo@example.com")
        #expect(ping.sent(ScriptedPingOne.userinfo).count == 2)
    }

    @Test func `has claims that are kept only where that is asked for, and for its own user`() async throws {
        let user = try await signedIn()
        ping.network.on(
            .get, ScriptedPingOne.userinfo, answering: .json(#"{"sub":"user-1","email":"demo@example.com"}"#))
        func asked() -> Int { ping.sent(ScriptedPingOne.userinfo).count }
        for cache in [false, true, true] { _ = try await user.userinfo(cache: cache) }
        #expect(asked() == 2)
        var other = try #require(try await desk.tokens.get())
        other.subject = "somebody-else"
        try await desk.tokens.save(other)
        await #expect(throws: DaVinciTokenError.provider(.invalidUserinfo)) { try await user.userinfo(cache: true) }
        #expect(asked() == 3)
    }

    @Test func `revokes tokens and keeps the session, and ends both at logout`() async throws {
        let user = try await signedIn()
        try await user.revoke()
        #expect(try await desk.tokens.get() == nil)
        #expect(try await desk.session.get() != nil)
        #expect(
            ping.sent(ScriptedPingOne.base + "/as/revoke").compactMap { $0.form?.single("token") } == ["rt-1", "at-1"])
        let report = await user.logout()
        if case .ended = report.session {} else { Issue.record("\(report.session)") }
        #expect(try await davinci.bound(to: desk.caller()).user() == nil)
        await #expect(throws: DaVinciTokenError.noSession) { _ = try await user.token() }
    }
}
