import Basics
import JSON
import OpenIDConnect
import StorageKit
import TestSupport
import Testing

@testable import BFF
@testable import Sessions

/// What each way to sign out ends, here and at the provider.
@Suite("Signing out")
struct LogoutTests {
    @Test("by revoking ends this instance's tokens; the session stays", arguments: StoreKind.allCases)
    func revoke(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        try await browser.start("transaction")
        try await browser.revokeToken()
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
        #expect(try await browser.user("transaction")["subject"] == "demo")
        #expect(fixture.provider.grants == ["demo"] && fixture.provider.endedSessions.isEmpty)
        try await browser.revokeToken()
        try await browser.revokeToken("transaction")
        #expect(browser.cookie != nil)
        #expect(try await browser.start()["type"] == "success")
    }

    @Test("an instance with own tokens in a shared session ends its tokens only", arguments: StoreKind.allCases)
    func ownTokens(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        try await browser.start("transaction")
        try await browser.logout("transaction")
        #expect(try await browser.user()["subject"] == "demo")
        #expect(fixture.provider.grants == ["demo"] && fixture.provider.endedSessions.isEmpty)
    }

    @Test("the instance whose tokens the session's clients share ends them all", arguments: StoreKind.allCases)
    func commonTokens(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        for instance in ["standard", "second"] {
            let browser = try await fixture.signedIn()
            try await browser.start("transaction")
            try await browser.logout(instance)
            #expect(browser.cookie == nil)
            #expect(fixture.provider.grants.isEmpty && fixture.provider.sessions.isEmpty)
        }
    }

    @Test("with everything said ends the session and all tokens under it", arguments: StoreKind.allCases)
    func everything(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        try await browser.start("transaction")
        try await browser.signIn("alice", "transaction:alice")
        try await browser.signIn("demo", "admin")
        try await browser.logout("transaction", session: true)
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
        await #expect(throws: BFFError.signedOut) { try await browser.user("transaction") }
        #expect(try await browser.user("transaction:alice")["subject"] == "alice")
        #expect(try await browser.user("admin")["subject"] == "demo")
        #expect(fixture.provider.grants == ["alice", "demo"] && fixture.provider.endedSessions.count == 1)
    }

    @Test("the last one ends the session", arguments: StoreKind.allCases)
    func last(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        try await browser.start("transaction")
        try await browser.revokeToken()
        try await browser.logout("transaction")
        #expect(browser.cookie == nil)
        #expect(fixture.provider.grants.isEmpty && fixture.provider.sessions.isEmpty)
    }

    @Test("an account leaves the others", arguments: StoreKind.allCases)
    func account(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        try await browser.signIn("alice", "standard:alice")
        try await browser.signIn("alice", "admin:alice")
        let page = try await browser.start("kiosk:alice")
        try await browser.logoutAll(account: "alice")
        #expect(try await browser.session()["accounts"] == [""])
        await #expect(throws: BFFError.flowExpired) { try await browser.flow(page, "kiosk:alice") }
        #expect(fixture.provider.grants == ["demo"] && Array(fixture.provider.sessions.values) == ["demo"])
        try await browser.logoutAll(account: "nobody")
        #expect(try await browser.user()["subject"] == "demo")
        try await browser.logoutAll(account: "")
        #expect(browser.cookie == nil)
    }

    @Test("the browser ends everything, and the cookie opens nothing any more", arguments: StoreKind.allCases)
    func all(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        try await browser.start("transaction")
        try await browser.signIn("alice", "standard:alice")
        let page = try await browser.start("admin")
        let kept = Browser(fixture.backend, cookie: browser.cookie)
        try await browser.logoutAll()
        #expect(browser.cookie == nil)
        #expect(fixture.provider.grants.isEmpty && fixture.provider.sessions.isEmpty)
        for process in [fixture.backend, try fixture.another()] {
            let again = kept.at(process)
            await #expect(throws: BFFError.signedOut) { try await again.user() }
            await #expect(throws: BFFError.flowExpired) { try await again.flow(page, "admin") }
            try await again.logoutAll()
        }
        let key = try kept.sessionKey()
        #expect(try await !fixture.store.inner.read(key, .all).exists)
    }

    @Test("with the provider down succeeds; another process ends things when it is back", arguments: StoreKind.allCases)
    func providerDown(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        try await browser.start("transaction")
        fixture.provider.isDown = true
        try await browser.logoutAll()
        #expect(browser.cookie == nil)
        #expect(fixture.provider.grants == ["demo", "demo"] && fixture.provider.sessions.count == 1)
        let other = try fixture.another()
        await other.retryRevocations(until: .now + .seconds(5))
        fixture.provider.isDown = false
        fixture.time.advance(by: .seconds(30))
        await other.retryRevocations(until: .now + .seconds(5))
        #expect(fixture.provider.grants.isEmpty && fixture.provider.sessions.isEmpty)
        // Done is done.
        let calls = fixture.provider.count(.revoke) + fixture.provider.count(.endSession)
        await other.retryRevocations(until: .now + .seconds(5))
        await fixture.backend.retryRevocations(until: .now + .seconds(5))
        #expect(fixture.provider.count(.revoke) + fixture.provider.count(.endSession) == calls)
    }

    @Test(
        "is retried for a week and not longer where the tokens do not say when they end", arguments: StoreKind.allCases)
    func aWeek(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        fixture.provider.isDown = true
        try await browser.logoutAll()
        fixture.time.advance(by: .seconds(7 * 86_400))
        fixture.provider.isDown = false
        await fixture.backend.retryRevocations(until: .now + .seconds(5))
        #expect(fixture.provider.grants == ["demo"])
        #expect(fixture.provider.count(.revoke) == 1)
    }

    @Test(
        "does not stop at what a provider says is gone or refuses",
        arguments: [
            TokenError.invalidGrant, .sessionEnded, .tooWeak, .refused(check: "client"), .unsupported,
        ])
    func refused(fault: TokenError) async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        fixture.provider.fail(.revoke, fault)
        fixture.provider.fail(.endSession, fault)
        try await browser.logoutAll()
        await fixture.backend.retryRevocations(until: .now + .seconds(5))
        #expect(fixture.provider.count(.revoke) == 1 && fixture.provider.count(.endSession) == 1)
    }

    @Test("with a step under way keeps it from signing in again", arguments: StoreKind.allCases, [0, 1, 2])
    func stepUnderWay(kind: StoreKind, way: Int) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        try await browser.signIn("alice", "standard:alice")
        let page = try await browser.start("transaction") { $0.forceAuth = true }
        let gate = Gate()
        fixture.provider.hold(.next, at: gate)
        let body = try Browser.login(page)
        let copy = Browser(fixture.backend, cookie: browser.cookie)
        let late = Task { try await copy.next(body, "transaction") }
        await gate.waitUntilHeld()
        switch way {
        case 0: try await browser.logout()
        case 1: try await browser.logoutAll(account: "")
        default: try await browser.logoutAll()
        }
        gate.open()
        await #expect(throws: BFFError.flowExpired) { try await late.value }
        await #expect(throws: BFFError.signedOut) { try await copy.user("transaction") }
        #expect(fixture.provider.grants == (way < 2 ? ["alice"] : []))
        #expect(fixture.provider.sessions.count == (way < 2 ? 1 : 0))
    }

    @Test("by many at once ends everything once", arguments: StoreKind.allCases)
    func many(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        try await browser.start("transaction")
        let context = browser.context()
        let processes = [fixture.backend, try fixture.another()]
        let results = await together(20) { number in
            number.isMultiple(of: 2)
                ? try await processes[number / 2 % 2].logoutAll(account: nil, context)
                : try await processes[number / 2 % 2].logout("standard", session: true, context)
        }
        #expect(results.allSatisfy { $0.error == nil })
        for process in processes { await process.settled() }
        await fixture.backend.retryRevocations(until: .now + .seconds(5))
        #expect(fixture.provider.grants.isEmpty && fixture.provider.sessions.isEmpty)
    }

    @Test("when the process dies on the way ends things all the same", arguments: StoreKind.allCases)
    func killed(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        try await browser.start("transaction")
        // Everything is written; the process dies before it asks the provider.
        let gate = Gate()
        fixture.provider.hold(.revoke, at: gate)
        let dying = Task { try await Browser(fixture.backend, cookie: browser.cookie).logoutAll() }
        await gate.waitUntilHeld(2)
        fixture.provider.hold(.revoke, at: nil)
        let other = try fixture.another()
        await #expect(throws: BFFError.signedOut) { try await browser.at(other).user() }
        #expect(fixture.provider.grants == ["demo", "demo"] && fixture.provider.sessions.count == 1)
        await other.retryRevocations(until: .now + .seconds(5))
        #expect(fixture.provider.grants.isEmpty && fixture.provider.sessions.isEmpty)
        gate.open()
        try await dying.value
    }
}

@Suite("What has to be ended at providers")
struct RevocationTests {
    private func queue(_ fixture: Fixture, _ store: any ByteStore, _ keys: [ServerKey]? = nil) throws -> RevocationQueue
    {
        RevocationQueue(
            store: store, keys: try ServerKeys(keys ?? [fixture.key]), time: fixture.time, keep: .seconds(60),
            logger: fixture.log.logger())
    }

    @Test("keeps nothing that ending tokens does not need")
    func least() async throws {
        let fixture = try Fixture()
        let queue = try queue(fixture, fixture.store)
        let full = RecordSamples.tokens
        try await queue.add([.tokens(full.encoded, "a")])
        guard case .tokens(let bytes, "a") = try #require(await queue.waiting().first).item else { throw Unexpected() }
        let kept = try TokenSet(decoding: bytes)
        #expect(kept.accessToken == full.accessToken && kept.refreshToken == full.refreshToken)
        #expect(kept.expiresAt == full.expiresAt)
        for text in ["id", "(usr!demo)", "openid", "gold", "pwd", "s-1", "am.example.com"] {
            #expect(full.encoded.firstRange(of: Array(text.utf8)) != nil)
            #expect(bytes.firstRange(of: Array(text.utf8)) == nil, "\(text)")
        }
    }

    private struct Unexpected: Error {}

    @Test("of a client that left the configuration waits for a process that has it, with an error a minute")
    func unknownClient() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        // One of two processes has read settings without the client.
        let other = try fixture.another(without: ["standard"])
        fixture.provider.isDown = true
        try await browser.logoutAll()
        fixture.provider.isDown = false
        let waiting = try await fixture.backend.sessions.revocations.queue.waiting().count
        let tried = fixture.provider.count(.revoke)
        #expect(waiting > 0)
        for _ in 0..<3 { await other.retryRevocations(until: .now + .seconds(5)) }
        #expect(try await fixture.backend.sessions.revocations.queue.waiting().count == waiting)
        #expect(fixture.log.lines.count { $0.contains("gone from the configuration") } == 1)
        #expect(fixture.provider.count(.revoke) == tried)
        fixture.time.advance(by: .seconds(60))
        await fixture.backend.retryRevocations(until: .now + .seconds(5))
        #expect(try await fixture.backend.sessions.revocations.queue.waiting().isEmpty)
        #expect(fixture.provider.count(.revoke) > tried)
    }

    @Test("is worked on by one process at a time")
    func oneAtATime() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        fixture.provider.isDown = true
        try await browser.logoutAll()
        fixture.provider.isDown = false
        let gate = Gate()
        fixture.provider.hold(.revoke, at: gate)
        let other = try fixture.another()
        let first = Task { await fixture.backend.retryRevocations(until: .now + .seconds(5)) }
        await gate.waitUntilHeld()
        await other.retryRevocations(until: .now + .seconds(5))
        gate.open()
        await first.value
        #expect(fixture.provider.count(.revoke) == 2)
    }
}
