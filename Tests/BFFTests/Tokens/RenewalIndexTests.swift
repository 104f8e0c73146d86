import BFF
import Basics
import JSON
import StorageKit
import TestSupport
import Testing

@testable import BFF
@testable import Sessions

/// Sign-ins that the index has lost, as after a fail-over of the store that forgets the last writes.
@Suite("A sign-in that the index has lost")
struct RenewalIndexTests {
    private let fixture: Fixture
    private let user: RemoteEnds.User

    init() throws {
        fixture = try Fixture()
        user = RemoteEnds.User(issuer: fixture.provider.issuer, subject: "demo")
    }

    /// A browser whose sign-in no end finds.
    private func lost() async throws -> Browser {
        let browser = try await fixture.signedIn()
        try await lose(browser)
        return browser
    }

    /// Takes what the index has of a browser out of it.
    private func lose(_ browser: Browser) async throws {
        let index = try #require(fixture.store.inner as? any SessionIndex)
        let keys = fixture.backend.environment.directory.keys
        for name in keys.user(issuer: user.issuer, subject: user.subject) {
            try await index.removeFromIndex(name, try browser.sessionKey())
        }
    }

    private func end() async throws -> Int {
        try await fixture.backend.remoteEnds.endAll(of: user, RemoteEndTests.context)
    }

    @Test("is found again after a renewal of its tokens")
    func found() async throws {
        let browser = try await lost()
        fixture.time.advance(by: .seconds(300))
        _ = try await browser.user()
        #expect(try await end() == 1)
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
    }

    @Test("is over with the next renewal if its user was ended meanwhile, at the provider too")
    func ended() async throws {
        let browser = try await lost()
        fixture.time.advance(by: .seconds(10))
        #expect(try await end() == 0)
        _ = try await browser.user()
        fixture.time.advance(by: .seconds(300))
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
        await fixture.backend.settled()
        #expect(fixture.provider.grants.isEmpty && fixture.provider.sessions.isEmpty)
        #expect(fixture.told.contains("refresh ended user-ended"))
        #expect(await fixture.backend.ends.reason(of: .signedOut, "standard", browser.context()) == .ended)
    }

    @Test("is over for good, and the provider is not asked again", arguments: [true, false])
    func staysOver(tellsAuthTime: Bool) async throws {
        fixture.provider.tellsAuthTime = tellsAuthTime
        let browser = try await lost()
        fixture.time.advance(by: .seconds(10))
        #expect(try await end() == 0)
        fixture.time.advance(by: .seconds(300))
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
        await fixture.backend.settled()
        let asked = fixture.provider.count(.authorize)
        for _ in 0..<3 { await #expect(throws: BFFError.signedOut) { try await browser.user() } }
        #expect(fixture.provider.count(.authorize) == asked)
    }

    @Test("is over while a later authentication in the same browser session goes on")
    func laterPart() async throws {
        let browser = try await lost()
        fixture.time.advance(by: .seconds(10))
        #expect(try await end() == 0)
        fixture.time.advance(by: .seconds(10))
        try await browser.signIn("demo", "transaction")
        fixture.time.advance(by: .seconds(300))
        _ = try? await browser.user()
        #expect(fixture.told.contains("refresh ended user-ended"))
        #expect(try await browser.user("transaction")["subject"] == "demo")
    }

    @Test("asks its provider session once for an instance, if its user was ended meanwhile")
    func askedOnce() async throws {
        let browser = try await lost()
        fixture.time.advance(by: .seconds(10))
        #expect(try await end() == 0)
        let before = fixture.provider.count(.authorize)
        for _ in 0..<3 { await #expect(throws: BFFError.signedOut) { try await browser.user("transaction") } }
        #expect(fixture.provider.count(.authorize) == before + 1)
        // A new sign-in brings a provider session that may be asked.
        fixture.time.advance(by: .seconds(2))
        try await browser.signIn()
        #expect(try await browser.user("transaction")["subject"] == "demo")
    }

    @Test(
        "is refused once to a start, if its user was ended meanwhile, and then the user is asked",
        arguments: [true, false])
    func started(tellsAuthTime: Bool) async throws {
        fixture.provider.tellsAuthTime = tellsAuthTime
        let browser = try await lost()
        fixture.time.advance(by: .seconds(10))
        #expect(try await end() == 0)
        fixture.provider.authTimeShift = .seconds(-10)
        fixture.provider.script(.start, .successInSession("demo"))
        #expect(try await browser.start("transaction")["reason"] == "login-required")
        await fixture.backend.settled()
        #expect(fixture.provider.sessions.isEmpty)
        let record = try await fixture.store.inner.read(try browser.sessionKey(), .all)
        #expect(!record.entries.contains { $0.name.hasPrefix("session/") })
        #expect(try await browser.start("transaction")["type"] == "continue")
    }

    @Test("is renewed where the index has no room or does not answer")
    func full() async throws {
        let browser = try await lost()
        fixture.time.advance(by: .seconds(300))
        fixture.store.countsIndex = true
        fixture.store.reset()
        _ = try await browser.user()
        let calls = fixture.store.calls
        let first = try #require(calls.firstIndex { $0.name == "addToIndex" })
        fixture.time.advance(by: .seconds(300))
        fixture.store.reset()
        for number in first..<(first + 4) { fixture.store.fail(number, .before) }
        #expect(try await browser.user()["subject"] == "demo")
        #expect(fixture.provider.reuses == 0 && fixture.provider.grants == ["demo"])
    }

    /// A browser whose tokens are due, and the name that its provider session has by the time of their renewal.
    private func renewing(_ fixture: Fixture) async throws -> (Browser, sid: String) {
        fixture.provider.namesSessions = true
        let browser = try await fixture.signedIn()
        let sid = try #require(fixture.provider.sid(of: "demo"))
        fixture.provider.sidSuffix = "-b"
        fixture.provider.forgetGrants()
        fixture.time.advance(by: .seconds(300))
        fixture.store.countsIndex = true
        fixture.store.reset()
        return (browser, sid + "-b")
    }

    @Test("under the name that its provider session has by now is found by that")
    func renamed() async throws {
        let (browser, sid) = try await renewing(fixture)
        _ = try await browser.user()
        let token = fixture.provider.logoutToken(subject: "demo", sessionID: sid, id: "j-1")
        try await fixture.backend.remoteEnds.logout("standard", token: Secret(token), RemoteEndTests.context)
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
    }

    @Test("has the name that its provider session has by now for that, too, and other tokens keep theirs")
    func renamedParts() async throws {
        fixture.provider.namesSessions = true
        let browser = try await fixture.signedIn()
        let sid = try #require(fixture.provider.sid(of: "demo"))
        fixture.time.advance(by: .seconds(200))
        _ = try await browser.user("transaction")
        // The provider session has another name, which only its own tokens tell.
        fixture.provider.sidSuffix = "-b"
        fixture.time.advance(by: .seconds(100))
        fixture.provider.fail(.refresh, .invalidGrant)
        _ = try await browser.user()
        _ = try await browser.refreshToken("transaction")
        let token = fixture.provider.logoutToken(subject: "demo", sessionID: sid + "-b", id: "j-1")
        try await fixture.backend.remoteEnds.logout("standard", token: Secret(token), RemoteEndTests.context)
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
        #expect(try await browser.user("transaction")["subject"] == "demo")
        let session = try await fixture.store.inner.read(try browser.sessionKey(), .all)
        #expect(!session.entries.contains { $0.name.hasPrefix("session/") })
    }

    @Test("is over alone by the end of its provider session, and another one of the user goes on")
    func otherSession() async throws {
        fixture.provider.namesSessions = true
        let browser = try await fixture.signedIn("demo", "kiosk")
        try await browser.signIn("demo")
        _ = try await browser.session()
        let record = try await fixture.store.inner.read(try browser.sessionKey(), .all)
        let list = try #require(try fixture.backend.environment.directory.intact(record, try browser.sessionKey()))
        let own = try #require(list.parts.first { $0.client == "standard" })
        let index = try #require(fixture.store.inner as? any SessionIndex)
        try await index.removeFromIndex(own.names.session, try browser.sessionKey())
        let sid = try #require(fixture.provider.sid(of: "demo"))
        let token = fixture.provider.logoutToken(subject: "demo", sessionID: sid, id: "j-1")
        try await fixture.backend.remoteEnds.logout("standard", token: Secret(token), RemoteEndTests.context)
        for _ in 0..<10 {
            fixture.time.advance(by: .seconds(30))
            _ = try await browser.user("kiosk")
        }
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
        #expect(try await browser.user("kiosk")["subject"] == "demo")
    }

    @Test("is over without the one that is stored while the provider renews it")
    func storedMeanwhile() async throws {
        let browser = try await fixture.signedIn()
        _ = try await browser.user("transaction")
        try await lose(browser)
        fixture.time.advance(by: .seconds(10))
        try #require(try await end() == 0)
        fixture.time.advance(by: .seconds(290))
        let gate = Gate()
        fixture.provider.hold(.refresh, at: gate)
        let renewal = Task { try? await browser.user() }
        await gate.waitUntilHeld()
        let other = browser.at(fixture.backend)
        try await other.signIn("demo", "transaction")
        gate.open()
        _ = await renewal.value
        #expect(fixture.told.contains("refresh ended user-ended"))
        #expect(try await other.user("transaction")["subject"] == "demo")
    }

    @Test("is over with its provider session also where that was stored under another server key")
    func otherKey() async throws {
        let browser = try await lost()
        let next = try ServerKey(id: "k2", key: Array(31..<63))
        let other = try fixture.another(keys: [next, fixture.key])
        let moved = browser.at(other)
        _ = try await moved.user("transaction")
        fixture.time.advance(by: .seconds(10))
        #expect(try await end() == 0)
        fixture.time.advance(by: .seconds(300))
        await #expect(throws: BFFError.signedOut) { try await moved.user() }
        await other.settled()
        #expect(fixture.provider.sessions.isEmpty)
    }

    @Test("is over if a logout token names the new provider session while the renewal is stored, at whatever call")
    func raced() async throws {
        let counted = try Fixture()
        let (first, _) = try await renewing(counted)
        _ = try await first.user()
        let count = counted.store.calls.count
        #expect(count > 5)
        for number in 0..<count {
            let fixture = try Fixture()
            let (browser, sid) = try await renewing(fixture)
            let other = try fixture.another(store: FaultyStore(fixture.store.inner))
            let token = fixture.provider.logoutToken(subject: "demo", sessionID: sid, id: "j-1")
            fixture.store.before(number) {
                try? await other.remoteEnds.logout("standard", token: Secret(token), RemoteEndTests.context)
            }
            _ = try? await browser.user()
            await #expect(throws: BFFError.signedOut, "the end came before call \(number)") {
                try await browser.user()
            }
        }
    }
}
