import BFF
import Basics
import JSON
import OpenIDConnect
import StorageKit
import TestSupport
import Testing

@testable import BFF
@testable import Sessions

/// A commit was sent, and then the store was away: done, refused and unknown are three outcomes.
@Suite("A commit without an answer", .timeLimit(.minutes(1)))
struct UnansweredCommitTests {
    private static let away = BFFError.storeUnavailable(retryAfter: .seconds(5))

    /// Holds a call to the provider, and then loses the answer to the commit that follows, and all that asks after it.
    private func losing<Answer: Sendable>(
        _ fault: FaultyStore.Fault, after call: FakeProvider.Call, _ fixture: Fixture,
        _ work: @escaping @Sendable () async throws -> Answer
    ) async throws {
        let gate = Gate()
        fixture.provider.hold(call, at: gate)
        let task = Task { try await work() }
        await gate.waitUntilHeld()
        lose(1, fault, fixture)
        fixture.provider.hold(call, at: nil)
        gate.open()
        await #expect(throws: Self.away) { try await task.value }
        #expect(fixture.store.calls[1].name == "commit")
        fixture.store.reset()
    }

    /// Loses the answer to the call of this number, and the reads that ask what came of it.
    private func lose(_ number: Int, _ fault: FaultyStore.Fault, _ fixture: Fixture) {
        fixture.store.reset()
        fixture.store.fail(number, fault)
        for later in fixture.settings.storeRetries.indices { fixture.store.fail(number + 1 + later, .before) }
    }

    private func retry(_ backend: Backend) async {
        await backend.retryRevocations(until: .now + .seconds(5))
        await backend.settled()
    }

    /// A sign-in whose commit has no answer; the body of its last step.
    private func lostSignIn(
        _ kind: StoreKind, _ fault: FaultyStore.Fault
    ) async throws -> (Fixture, Browser, NextRequest) {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        let body = try Browser.login(try await browser.start())
        try await losing(fault, after: .userinfo, fixture) { try await browser.next(body) }
        return (fixture, browser, body)
    }

    @Test(
        "of a change that is final leaves what was replaced to be ended, when a logout comes in between",
        arguments: StoreKind.allCases)
    func finalAndGone(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        try await browser.next(try Browser.login(try await browser.start { $0.forceAuth = true }))
        #expect(fixture.provider.grants.count == 2)
        let key = try browser.sessionKey()
        let other = browser.at(try fixture.another())
        fixture.store.fail("commit", of: key, .after)
        fixture.store.before("commit", of: key) {
            fixture.store.before("read", of: key) { try? await other.logoutAll() }
        }
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
        await other.backend.settled()
        await fixture.backend.settled()
        #expect(fixture.provider.grants.isEmpty && fixture.provider.sessions.isEmpty)
    }

    /// The commit that the store is asked for next.
    private func peek(_ fixture: Fixture) throws -> UnansweredCommit {
        let unanswered = fixture.backend.environment.work.unanswered
        let sent = try #require(unanswered.take().first)
        _ = unanswered.add(sent)
        return sent
    }

    @Test("of a sign-in that is stored stands: the same body gets the answer", arguments: StoreKind.allCases)
    func signInStored(kind: StoreKind) async throws {
        let (fixture, browser, body) = try await lostSignIn(kind, .after)
        #expect(fixture.provider.grants == ["demo"] && fixture.provider.sessions.count == 1)
        #expect(try await browser.next(body)["signedIn"] == true)
        #expect(try await browser.user()["subject"] == "demo")
        await retry(fixture.backend)
        #expect(fixture.provider.grants == ["demo"] && fixture.provider.sessions.count == 1)
        try await browser.refreshToken()
        #expect(fixture.told == ["sign-in done", "refresh done"] && fixture.provider.count(.next) == 1)
    }

    @Test("of a sign-in that is not stored is undone once the store says so", arguments: StoreKind.allCases)
    func signInAbsent(kind: StoreKind) async throws {
        let (fixture, browser, body) = try await lostSignIn(kind, .before)
        // Nobody knows yet.
        #expect(fixture.provider.grants == ["demo"] && fixture.provider.sessions.count == 1)
        fixture.store.isDown = true
        await retry(fixture.backend)
        #expect(fixture.provider.grants == ["demo"])
        fixture.store.isDown = false
        // New settings know of it, too.
        await retry(try fixture.reloaded())
        #expect(fixture.provider.grants.isEmpty && fixture.provider.sessions.isEmpty)
        fixture.time.advance(by: .seconds(45))
        #expect(try await browser.next(body)["reason"] == "outcome-unknown")
        #expect(try await browser.signIn()["signedIn"] == true)
        #expect(fixture.provider.grants == ["demo"])
    }

    @Test("does not take effect any more once it was found absent", arguments: StoreKind.allCases)
    func late(kind: StoreKind) async throws {
        let (fixture, _, _) = try await lostSignIn(kind, .before)
        let sent = try peek(fixture).sent
        await retry(fixture.backend)
        #expect(fixture.provider.grants.isEmpty)
        await #expect(throws: StoreError.conflict(field: MetaRecord.field)) {
            try await fixture.store.commit(sent.session, .update(writes: sent.attempts[0]))
        }
    }

    @Test(
        "of a silent start leaves nothing at the provider when the session has ended before the store is asked",
        arguments: StoreKind.allCases, [FaultyStore.Fault.after, .before])
    func sessionEnded(kind: StoreKind, fault: FaultyStore.Fault) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        _ = try await browser.session()
        try await losing(fault, after: .userinfo, fixture) { try await browser.start() }
        #expect(fixture.provider.grants == ["demo", "demo"])
        let unanswered = fixture.backend.environment.work.unanswered.take()
        #expect(unanswered.count == 1)
        try await browser.logoutAll()
        #expect(fixture.provider.grants == ["demo"], "the one that the session did not hold")
        for commit in unanswered { _ = fixture.backend.environment.work.unanswered.add(commit) }
        await retry(fixture.backend)
        #expect(fixture.provider.grants.isEmpty && fixture.provider.sessions.isEmpty)
    }

    @Test(
        "of a silent start leaves nothing at the provider when its own look finds the session ended",
        arguments: StoreKind.allCases, [FaultyStore.Fault.after, .before])
    func sessionEndedAtOnce(kind: StoreKind, fault: FaultyStore.Fault) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        _ = try await browser.session()
        let other = browser.at(try fixture.another())
        let key = try browser.sessionKey()
        fixture.store.fail("commit", of: key, fault)
        fixture.store.before("commit", of: key) {
            fixture.store.before("read", of: key) { try? await other.logoutAll() }
        }
        await #expect(throws: BFFError.sessionChanged) { try await browser.start() }
        // Nothing waits for the next round: a process that is killed until then would forget it.
        await fixture.backend.environment.work.background.settled()
        #expect(fixture.backend.environment.work.unanswered.take().isEmpty)
        #expect(fixture.provider.grants.isEmpty && fixture.provider.sessions.isEmpty)
    }

    @Test(
        "of a silent start is known although another sign-in has overwritten all of it since",
        arguments: StoreKind.allCases, [FaultyStore.Fault.after, .before])
    func overwritten(kind: StoreKind, fault: FaultyStore.Fault) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        _ = try await browser.session()
        try await losing(fault, after: .userinfo, fixture) { try await browser.start() }
        let unanswered = fixture.backend.environment.work.unanswered.take()
        try await browser.signIn()
        _ = try await browser.session()
        for commit in unanswered { _ = fixture.backend.environment.work.unanswered.add(commit) }
        await retry(fixture.backend)
        #expect(fixture.provider.grants == ["demo"] && fixture.provider.sessions.count == 1)
        try await browser.refreshToken()
        fixture.time.advance(by: .seconds(601))
        let fields = try await fixture.store.inner.read(try browser.sessionKey(), .all).entries.map(\.name)
        #expect(!fields.contains { $0.hasPrefix("sent/") })
    }

    @Test("that takes effect late, before the store is asked, stands", arguments: StoreKind.allCases)
    func lateButFirst(kind: StoreKind) async throws {
        let (fixture, browser, body) = try await lostSignIn(kind, .before)
        let sent = try peek(fixture).sent
        try await fixture.store.commit(sent.session, .update(writes: sent.attempts[0]))
        await retry(fixture.backend)
        #expect(fixture.told == ["sign-in done"])
        #expect(try await browser.next(body)["signedIn"] == true)
        #expect(fixture.provider.grants == ["demo"] && fixture.provider.sessions.count == 1)
    }

    @Test("of a session that ended since is undone", arguments: StoreKind.allCases)
    func gone(kind: StoreKind) async throws {
        let (fixture, browser, _) = try await lostSignIn(kind, .before)
        try await browser.logoutAll()
        await retry(fixture.backend)
        #expect(fixture.provider.grants.isEmpty && fixture.provider.sessions.isEmpty)
    }

    @Test(
        "of a start by the provider session ends the tokens that are not stored, the former or the new ones",
        arguments: StoreKind.allCases, FaultyStore.Fault.allCases)
    func silentStart(kind: StoreKind, fault: FaultyStore.Fault) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        try await losing(fault, after: .userinfo, fixture) { try await browser.start() }
        #expect(fixture.provider.grants == ["demo", "demo"])
        await retry(fixture.backend)
        #expect(fixture.provider.grants == ["demo"] && fixture.provider.sessions.count == 1)
        try await browser.refreshToken()
        #expect(try await browser.user()["subject"] == "demo" && fixture.provider.reuses == 0)
        #expect(try await browser.start()["signedIn"] == true)
    }

    @Test(
        "of a sign-in without a cookie is repeated; where no answer comes it is undone, for nobody has the cookie",
        arguments: StoreKind.allCases)
    func newSession(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        fixture.provider.script(.start, .success("demo"), .success("demo"))
        lose(0, .after, fixture)
        await #expect(throws: Self.away) { try await browser.start() }
        fixture.store.reset()
        #expect(browser.cookie == nil && fixture.provider.grants.isEmpty && fixture.provider.sessions.isEmpty)
        fixture.store.fail(0, .after)
        #expect(try await browser.start()["signedIn"] == true)
        #expect(try await browser.user()["subject"] == "demo" && fixture.provider.grants == ["demo"])
    }

    @Test("of a renewal ends nothing that is stored", arguments: StoreKind.allCases)
    func renewalStored(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        fixture.time.advance(by: .seconds(300))
        try await losing(.after, after: .refresh, fixture) { try await browser.user() }
        #expect(try await browser.user()["token"]?["expiresIn"]?.int == 300)
        await retry(fixture.backend)
        try await browser.refreshToken()
        #expect(fixture.provider.grants == ["demo"] && fixture.provider.reuses == 0)
        #expect(fixture.told == ["sign-in done", "refresh done", "refresh done"])
    }

    @Test("of a renewal is known although another one has overwritten all of it since", arguments: StoreKind.allCases)
    func renewalOverwritten(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        fixture.time.advance(by: .seconds(300))
        try await losing(.after, after: .refresh, fixture) { try await browser.user() }
        try await browser.refreshToken()
        await retry(fixture.backend)
        #expect(fixture.provider.grants == ["demo"] && fixture.provider.revoked.isEmpty)
        try await browser.refreshToken()
        #expect(fixture.provider.reuses == 0)
    }

    @Test("of a new session is not taken for stored where others have made one that nobody can create any more")
    func buried() async throws {
        let fixture = try Fixture()
        let (store, ends) = (fixture.store, fixture.time.now() + .seconds(60))
        fixture.provider.script(.start, .success("demo"))
        store.before("commit") {
            guard let key = store.calls.last?.session else { return }
            store.fail("commit", of: key, .before)
            store.before("commit", of: key) { _ = try? await store.inner.commit(key, .create(expires: ends)) }
        }
        let browser = fixture.browser()
        await #expect(throws: BFFError.self) { try await browser.start() }
        #expect(browser.cookie == nil && fixture.provider.grants.isEmpty)
    }

    @Test("is not taken for stored where it was to write the bytes that are there already")
    func sameBytes() {
        func isHeld(
            _ expected: StorageKit.Expectation, revision: UInt64?, _ field: String = "ticket:a", value: UInt8 = 1
        ) -> Bool {
            let entries = revision.map { revision in
                [SessionSnapshot.Entry(name: field, field: StoredField(value: [value], revision: revision))]
            }
            let snapshot = SessionSnapshot(exists: true, entries: entries ?? [], expires: nil)
            return snapshot.holds([FieldWrite.set(field, [1], expected: expected)])
        }
        #expect(!isHeld(.revision(3), revision: 3) && isHeld(.revision(3), revision: 4))
        #expect(!isHeld(.revision(3), revision: 4, value: 2) && !isHeld(.revision(3), revision: nil))
        // The name of a ticket comes once, so another one's bytes are a later form of it.
        #expect(isHeld(.absent, revision: 5, value: 2) && !isHeld(.absent, revision: nil))
        #expect(!isHeld(.absent, revision: 5, "token/a", value: 2) && isHeld(.absent, revision: 5, "token/a"))
        // What was ended without the cookie is written alike by everybody.
        #expect(!isHeld(.revision(3), revision: 4, EndedParts.field) && !isHeld(.absent, revision: 5, EndedParts.field))
    }

    @Test("leaves the others where the store does not say what became of it", arguments: StoreKind.allCases)
    func silence(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        for user in ["demo", "bob"] {
            let browser = fixture.browser()
            let body = try Browser.login(try await browser.start(), user)
            try await losing(.before, after: .userinfo, fixture) { try await browser.next(body) }
        }
        fixture.store.reset()
        fixture.store.isDown = true
        await fixture.backend.sessions.revocations.settleUnanswered(until: .now + .seconds(5))
        #expect(fixture.store.calls.count == 1)
        fixture.store.isDown = false
        // The one that was asked for comes last, and nothing is asked when there is no time.
        fixture.store.reset()
        await fixture.backend.sessions.revocations.settleUnanswered(until: .now)
        #expect(fixture.store.calls.isEmpty && fixture.provider.grants.sorted() == ["bob", "demo"])
        await retry(fixture.backend)
        await fixture.backend.settled()
        #expect(fixture.provider.grants.isEmpty && fixture.provider.sessions.isEmpty)
    }

    @Test("of a renewal that is not stored ends its tokens", arguments: StoreKind.allCases, [true, false])
    func renewalAbsent(kind: StoreKind, rotates: Bool) async throws {
        let fixture = try Fixture(kind)
        fixture.provider.rotates = rotates
        let browser = try await fixture.signedIn()
        fixture.time.advance(by: .seconds(300))
        try await losing(.before, after: .refresh, fixture) { try await browser.user() }
        #expect(fixture.provider.revoked.isEmpty)
        let sent = try peek(fixture)
        guard case .tokens(let bytes, _) = sent.brought.first else {
            Issue.record("no tokens")
            return
        }
        // A refresh token that lives on is stored, too.
        let ended = try TokenSet(decoding: bytes)
        #expect((ended.refreshToken != nil) == rotates)
        await retry(fixture.backend)
        #expect(fixture.provider.revoked.count == 1)
        // The provider session gives others where the refresh token is spent.
        #expect(try await browser.user()["token"]?["expiresIn"]?.int == 300)
        #expect(fixture.provider.grants == ["demo"])
    }

    @Test("of a change of cookie does not forget what it replaced", arguments: StoreKind.allCases)
    func confirmation(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        try await browser.signIn()
        // The ticket, the ticket and the change, the job in a hash that was not there; then the decision.
        lose(5, .after, fixture)
        await #expect(throws: Self.away) { try await browser.session() }
        #expect(fixture.store.calls[5] == .init(name: "commit", session: try browser.sessionKey()))
        fixture.store.reset()
        await retry(try fixture.another())
        #expect(fixture.provider.grants == ["demo"] && fixture.provider.sessions.count == 1)
        #expect(try await browser.user()["subject"] == "demo")
    }

    @Test("are remembered up to a bound")
    func bound() async throws {
        let fixture = try Fixture()
        let browser = fixture.browser()
        let body = try Browser.login(try await browser.start())
        try await losing(.before, after: .userinfo, fixture) { try await browser.next(body) }
        let unanswered = fixture.backend.environment.work.unanswered
        let sent = try #require(unanswered.take().first)
        #expect(sent.context.cookie == nil)
        for _ in 0..<1000 { #expect(!unanswered.add(sent)) }
        #expect(unanswered.add(sent) && unanswered.take().count == 1000)
    }
}
