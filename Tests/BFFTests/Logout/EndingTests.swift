import BFF
import Basics
import JSON
import StorageKit
import TestSupport
import Testing

@testable import BFF
@testable import Sessions

/// When each part of an ending happens: written down, one commit, the answer, the provider.
@Suite("What ends records of a session")
struct EndingTests {
    /// The ways to sign an instance out whose browser session then is empty.
    enum Ending: CaseIterable, Sendable {
        case instance, account, everything

        func signOut(_ browser: Browser) async throws -> CookieChange {
            switch self {
            case .instance: try await browser.backend.logout("standard", session: false, browser.context())
            case .account: try await browser.backend.logoutAll(account: "", browser.context())
            case .everything: try await browser.backend.logoutAll(account: nil, browser.context())
            }
        }
    }

    /// A browser that has signed in again and come with its new cookie, and what it was before that.
    private func signedInAgain(
        _ kind: StoreKind, beside others: [String] = ["alice"]
    ) async throws -> (Fixture, Browser, old: Browser) {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        for user in others { try await browser.signIn(user, "admin:\(user)") }
        let old = browser.at(fixture.backend)
        try await browser.signIn()
        _ = try await browser.session()
        return (fixture, browser, old)
    }

    private func settle(_ fixture: Fixture) async {
        await fixture.backend.settled()
        await fixture.backend.retryRevocations(until: .now + .seconds(5))
    }

    @Test(
        "takes no sign-in with it that is made meanwhile, at whatever moment", arguments: StoreKind.allCases,
        Ending.allCases)
    func signInMeanwhile(kind: StoreKind, way: Ending) async throws {
        let counted = try Fixture(kind)
        let first = try await counted.signedIn()
        counted.store.reset()
        _ = try await way.signOut(first)
        await settle(counted)
        let count = counted.store.calls.count
        #expect(count > 5)
        let signIns = Locked(0)
        for number in 0..<count {
            let fixture = try Fixture(kind)
            let browser = try await fixture.signedIn()
            // At another process: what goes on here after the answer may be what waits for it.
            let other = browser.at(try fixture.another())
            fixture.store.reset()
            fixture.store.before(number) {
                guard (try? await other.signIn("alice", "standard:alice")) != nil else { return }
                signIns.withLock { $0 += 1 }
            }
            do {
                _ = try await way.signOut(browser)
            } catch BFFError.sessionChanged where way != .everything {
                // Replaced before the commit: a browser repeats it with its newest cookie.
                _ = try await way.signOut(other)
            }
            await settle(fixture)
            let subject = try? await other.user("standard:alice")["subject"]
            // It is stored, or there is nothing of it.
            let left = subject == "alice" ? ["alice"] : []
            #expect(fixture.provider.grants == left && Array(fixture.provider.sessions.values) == left, "\(number)")
        }
        #expect(signIns.withLock { $0 } > 2)
    }

    @Test(
        "takes with it what a change of cookie has replaced that nobody has decided; a part only under the newest cookie",
        arguments: StoreKind.allCases, Ending.allCases)
    func undecidedChange(kind: StoreKind, way: Ending) async throws {
        let (fixture, browser, old) = try await signedInAgain(kind, beside: [])
        // The answer with the last cookie never arrives.
        try await browser.signIn()
        #expect(fixture.provider.grants.count == 2, "the replaced one is kept while it may come back")
        if way == .everything {
            _ = try await way.signOut(old)
        } else {
            await #expect(throws: BFFError.sessionChanged) { try await way.signOut(old) }
            #expect(fixture.provider.grants.count == 2)
            _ = try await way.signOut(browser)
        }
        await settle(fixture)
        #expect(fixture.provider.grants.isEmpty && fixture.provider.sessions.isEmpty)
    }

    @Test("leaves nothing to read to a cookie that was replaced a moment before", arguments: StoreKind.allCases)
    func notReadAgain(kind: StoreKind) async throws {
        let (_, browser, old) = try await signedInAgain(kind)
        #expect(try await old.user()["subject"] == "demo")
        try await browser.logout()
        await #expect(throws: BFFError.sessionChanged) { try await old.user() }
        #expect(try await old.user("admin:alice")["subject"] == "alice")
    }

    @Test("is done when the store's answer to the commit that ends the session is lost", arguments: StoreKind.allCases)
    func lostAnswer(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let key = try browser.sessionKey()
        fixture.store.fail("commit", of: key, .after)
        #expect(try await Ending.everything.signOut(browser) == .clear)
        await fixture.backend.settled()
        #expect(fixture.provider.grants.isEmpty && fixture.provider.sessions.isEmpty)
        #expect(fixture.told == ["sign-in done", "logout ended"])
    }

    @Test(
        "stays written down while nobody knows whether it was deleted", arguments: StoreKind.allCases, Ending.allCases)
    func unknown(kind: StoreKind, way: Ending) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        try await browser.signIn("alice", "admin:alice")
        _ = try await browser.session()
        let key = try browser.sessionKey()
        // Deleted, and the store is away for as long as the call asks again.
        fixture.store.before("commit", of: key) {
            fixture.store.fail("commit", of: key, .after)
            fixture.store.fail("read", of: key, .before, .before, .before)
        }
        await #expect(throws: BFFError.storeUnavailable(retryAfter: .seconds(5))) {
            try await way.signOut(browser)
        }
        await settle(fixture)
        let left = way == .everything ? [] : ["alice"]
        #expect(fixture.provider.grants == left && Array(fixture.provider.sessions.values) == left)
    }

    @Test("is forgotten when it turns out that nothing has to end", arguments: StoreKind.allCases)
    func refused(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn("demo", "admin")
        let other = Browser(fixture.backend, cookie: browser.cookie)
        fixture.time.advance(by: .seconds(301))
        // The limit is over; the user signs in again before it is written that it is.
        fixture.store.before("commit", of: try browser.sessionKey()) { _ = try? await other.signIn("demo", "admin") }
        await #expect(throws: BFFError.signedOut) { try await browser.user("admin") }
        #expect(try await fixture.backend.sessions.revocations.queue.waiting().isEmpty)
        await settle(fixture)
        #expect(try await other.user("admin")["subject"] == "demo")
        #expect(fixture.provider.grants == ["demo"])
    }

    @Test("is written down before it is deleted, also what was not foreseen", arguments: StoreKind.allCases)
    func foundLate(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let other = Browser(fixture.backend, cookie: browser.cookie)
        fixture.store.before("commit", of: try browser.sessionKey()) {
            _ = try? await other.signIn("alice", "standard:alice")
        }
        // The process dies before it asks the provider for anything.
        let gate = Gate()
        fixture.provider.hold(.revoke, at: gate)
        #expect(try await Ending.everything.signOut(browser) == .clear)
        #expect(fixture.provider.grants == ["alice", "demo"])
        fixture.provider.hold(.revoke, at: nil)
        await (try fixture.another()).retryRevocations(until: .now + .seconds(5))
        #expect(fixture.provider.grants.isEmpty && fixture.provider.sessions.isEmpty)
        gate.open()
        await fixture.backend.settled()
    }

    @Test("is answered before the provider is done, and told in the audit after it", arguments: Ending.allCases)
    func answer(way: Ending) async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let gate = Gate()
        fixture.provider.hold(.revoke, at: gate)
        #expect(try await way.signOut(browser) == .clear)
        await #expect(throws: BFFError.signedOut) {
            try await fixture.backend.user("standard", refresh: false, browser.context())
        }
        #expect(fixture.provider.grants == ["demo"])
        #expect(fixture.told == ["sign-in done"])
        gate.open()
        await fixture.backend.settled()
        #expect(fixture.provider.grants.isEmpty && fixture.provider.sessions.isEmpty)
        #expect(fixture.told == ["sign-in done", "logout ended"])
    }

    @Test("leaves the cookie alone in an answer that waits for the provider")
    func revocationOfTheLast() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        try await browser.start("transaction")
        // The provider session goes with the tokens of one instance; the other has its own left.
        fixture.provider.forgetSessions()
        fixture.provider.forgetGrants()
        await #expect(throws: BFFError.signedOut) { try await browser.refreshToken() }
        let reply = try await browser.backend.revokeToken("transaction", browser.context())
        #expect(reply.cookie == .keep && reply.content == .ended)
        let key = try browser.sessionKey()
        #expect(try await !fixture.store.inner.read(key, .all).exists)
    }

    @Test("ends the kept answers that tell of it, and no others", arguments: StoreKind.allCases, [0, 1, 2])
    func keptAnswers(kind: StoreKind, way: Int) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        var bodies: [NextRequest] = []
        for (instance, user) in [("standard", "demo"), ("standard:alice", "alice")] {
            bodies.append(try Browser.login(try await browser.start(instance), user))
            try await browser.next(bodies[bodies.count - 1], instance)
        }
        #expect(try await browser.next(bodies[0])["signedIn"] == true)
        switch way {
        case 0: try await browser.logout()
        case 1: try await browser.logoutAll(account: "")
        default: try await browser.revokeToken()
        }
        await #expect(throws: BFFError.flowExpired) { try await browser.next(bodies[0]) }
        #expect(try await browser.next(bodies[1], "standard:alice")["signedIn"] == true)
        #expect(fixture.provider.count(.next) == 2)
    }

    @Test(
        "writes nothing down for what is not to end: not even for a moment are tokens of a living session to be revoked"
    )
    func unmet() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let sessions = fixture.backend.sessions
        let session = try #require(try await sessions.open(browser.context(), [MetaRecord.field]))
        fixture.store.reset()
        await #expect(throws: BFFError.sessionChanged) {
            _ = try await SessionCleanup(sessions).end(session, browser.context(), .logout, only: { _ in false }) {
                meta in
                LogoutScope(tokens: meta.tokens, sessions: meta.sessions, flows: meta.flows)
            }
        }
        #expect(!fixture.store.calls.isEmpty && !fixture.store.calls.contains { $0.name == "commit" })
        #expect(try await browser.user()["subject"] == "demo" && fixture.provider.grants == ["demo"])
    }

    @Test("of another user than its tokens spares a sign-in of that moment", arguments: [true, false])
    func otherUser(isRenewal: Bool) async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let other = Browser(fixture.backend, cookie: browser.cookie)
        fixture.provider.silentSubject = "mallory"
        fixture.provider.fail(.refresh, .invalidGrant)
        let gate = Gate()
        fixture.provider.hold(.authorize, at: gate)
        let work = Task { isRenewal ? try await browser.refreshToken() : try await browser.user("transaction") }
        await gate.waitUntilHeld()
        try await other.signIn("demo", "standard", replace: true)
        gate.open()
        await #expect(throws: BFFError.sessionChanged) { try await work.value }
        await fixture.backend.settled()
        #expect(try await other.user()["subject"] == "demo")
        #expect(fixture.provider.grants == ["demo"] && fixture.provider.sessions.count == 1)
    }
}
