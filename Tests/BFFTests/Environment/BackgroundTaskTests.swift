import BFF
import Basics
import JSON
import TestSupport
import Testing

@testable import BFF
@testable import Sessions

/// A provider that takes its time must not hold up an answer: one that carries a cookie would take the place of a newer one.
@Suite("What is told to the provider after the answer", .timeLimit(.minutes(1)))
struct BackgroundTaskTests {
    /// A provider that takes no revocation and ends no session until the gate opens.
    private func holding(_ provider: FakeProvider) -> Gate {
        let gate = Gate()
        provider.hold(.revoke, at: gate)
        provider.hold(.endSession, at: gate)
        return gate
    }

    @Test("holds up neither a new cookie nor the first request with it", arguments: StoreKind.allCases)
    func cookie(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let body = try Browser.login(try await browser.start { $0.forceAuth = true })
        let gate = holding(fixture.provider)
        try browser.take(try await fixture.backend.next("standard", body, browser.context()))
        _ = try await fixture.backend.user("standard", refresh: false, browser.context())
        await gate.waitUntilHeld()
        #expect(fixture.provider.grants == ["demo", "demo"] && fixture.provider.sessions.count == 2)
        gate.open()
        await fixture.backend.settled()
        #expect(fixture.provider.grants == ["demo"] && fixture.provider.sessions.count == 1)
    }

    @Test(
        "a cookie that was replaced while the store kept its answer waiting is not handed out",
        arguments: StoreKind.allCases)
    func late(kind: StoreKind) async throws {
        let fixture = try Fixture(kind) { $0.freshCookie = .zero }
        let browser = try await fixture.signedIn()
        let body = try Browser.login(try await browser.start { $0.forceAuth = true })
        let other = browser.at(try fixture.another())
        let gate = Gate()
        fixture.provider.hold(.userinfo, at: gate)
        let task = Task { try await fixture.backend.next("standard", body, browser.context()) }
        await gate.waitUntilHeld()
        fixture.store.reset()
        fixture.store.fail(1, .after)
        fixture.store.before(2) {
            _ = try? await other.next(body)
            _ = try? await other.session()
            _ = try? await other.signIn()
        }
        fixture.provider.hold(.userinfo, at: nil)
        gate.open()
        await #expect(throws: BFFError.sessionChanged) { try await task.value }
        #expect(try await other.user()["subject"] == "demo")
        #expect(other.cookie != browser.cookie)
    }

    @Test("holds up no start by the provider session, nor one whose user is another", arguments: StoreKind.allCases)
    func start(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let gate = holding(fixture.provider)
        try browser.take(try await fixture.backend.start("standard", StartRequest(), browser.context()))
        fixture.provider.script(.start, .success("bob"))
        await #expect(throws: BFFError.subjectChanged) {
            try await fixture.backend.start("standard", StartRequest(), browser.context())
        }
        await gate.waitUntilHeld(2)
        #expect(fixture.provider.grants.count == 3)
        gate.open()
        await fixture.backend.settled()
        #expect(fixture.provider.grants == ["demo"] && Array(fixture.provider.sessions.values) == ["demo"])
    }

    @Test(
        "is written down before the answer: a process that dies then leaves it to the others",
        arguments: StoreKind.allCases)
    func dies(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let body = try Browser.login(try await browser.start { $0.forceAuth = true }, "bob")
        let gate = holding(fixture.provider)
        await #expect(throws: BFFError.subjectChanged) {
            try await fixture.backend.next("standard", body, browser.context())
        }
        await gate.waitUntilHeld()
        fixture.provider.hold(.revoke, at: nil)
        fixture.provider.hold(.endSession, at: nil)
        await (try fixture.another()).retryRevocations(until: .now + .seconds(5))
        #expect(fixture.provider.grants == ["demo"] && Array(fixture.provider.sessions.values) == ["demo"])
        gate.open()
        await fixture.backend.settled()
    }

    @Test("is waited for by who stops, new settings or not")
    func settled() async throws {
        let fixture = try Fixture()
        let (gate, isDone) = (Gate(), Locked(false))
        fixture.backend.environment.work.background.begin {
            await gate.pass()
            isDone.withLock { $0 = true }
        }
        let reloaded = try fixture.reloaded()
        let begun = Gate()
        let stopping = Task {
            begun.open()
            await reloaded.settled()
            return isDone.withLock { $0 }
        }
        await gate.waitUntilHeld()
        await begun.pass()
        gate.open()
        #expect(await stopping.value)
        await reloaded.settled()
    }
}
