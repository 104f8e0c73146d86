import Basics
import JSON
import StorageKit
import TestSupport
import Testing

@testable import BFF
@testable import Sessions

/// The end of a question that is not confirmed.
extension ConfirmationTests {
    @Test(
        "that is not confirmed in time ends, and nothing has changed", arguments: LinkEnd.allCases, StoreKind.allCases)
    func late(way: LinkEnd, kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let question = try await browser.asked(fixture, "eve", way)
        fixture.time.advance(by: .seconds(119))
        await ends(fixture)
        #expect(fixture.provider.grants == ["demo", "eve"])
        fixture.time.advance(by: .seconds(1))
        await #expect(throws: BFFError.flowExpired) { try await browser.confirm(question) }
        await #expect(throws: BFFError.flowExpired) { try await browser.shown(question) }
        fixture.time.advance(by: .seconds(30))
        await ends(fixture)
        #expect(fixture.provider.grants == ["demo"] && Array(fixture.provider.sessions.values) == ["demo"])
        #expect(try await browser.refreshToken()["subject"] == "demo")
    }

    @Test("is refused when it is confirmed, if its user was ended meanwhile")
    func ended() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let question = try await browser.asked(fixture)
        let eve = RemoteEnds.User(issuer: fixture.provider.issuer, subject: "eve")
        try await fixture.backend.remoteEnds.endAll(of: eve, RemoteEndTests.context)
        let node = try await browser.confirm(question)
        #expect(node["type"] == "failure" && node["reason"] == "login-required")
        #expect(try await browser.user()["subject"] == "demo")
        // A second click gets the stored answer.
        #expect(try await browser.confirm(question)["reason"] == "login-required")
        await fixture.backend.settled()
        #expect(fixture.provider.grants == ["demo"] && Array(fixture.provider.sessions.values) == ["demo"])
        #expect(try await fixture.backend.sessions.revocations.queue.waiting().isEmpty)
    }

    /// What is left when nobody comes any more.
    enum Crash: CaseIterable, Sendable {
        case process, session, settings, flows
    }

    @Test("ends when its time is over, whatever became of process, session and flow", arguments: Crash.allCases)
    func crashed(crash: Crash) async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let question = try await browser.asked(fixture)
        var backend = fixture.backend
        switch crash {
        case .process: backend = try fixture.another()
        case .session: try await fixture.store.commit(try browser.sessionKey(), .end())
        case .settings:
            backend = try fixture.another(fingerprint: [1])
            await #expect(throws: BFFError.flowExpired) { try await browser.at(backend).confirm(question) }
        case .flows:
            for _ in 0..<5 { try await browser.start { $0.forceAuth = true } }
            await #expect(throws: BFFError.flowExpired) { try await browser.confirm(question) }
        }
        fixture.time.advance(by: .seconds(149))
        await backend.retryRevocations(until: .now + .seconds(5))
        #expect(fixture.provider.grants.contains("eve"))
        fixture.time.advance(by: .seconds(1))
        await backend.retryRevocations(until: .now + .seconds(5))
        #expect(fixture.provider.grants == ["demo"] && Array(fixture.provider.sessions.values) == ["demo"])
        #expect(try await backend.sessions.revocations.queue.waiting().isEmpty)
    }

    @Test("that was confirmed stays, though the process died before it forgot what was written down")
    func confirmedAndCrashed() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let question = try await browser.asked(fixture)
        let queue = fixture.backend.sessions.revocations.queue
        for place in queue.places where try await !queue.waiting(at: place).isEmpty {
            let key = SessionKey(tag: Array("cloakroom revocations \(place)".utf8))
            fixture.store.fail("commit", of: key, .before)
        }
        try await browser.confirm(question)
        #expect(try await queue.waiting().count == 2)
        _ = try await browser.session()
        fixture.time.advance(by: .seconds(200))
        await (try fixture.another()).retryRevocations(until: .now + .seconds(5))
        #expect(fixture.provider.grants == ["eve"] && Array(fixture.provider.sessions.values) == ["eve"])
        #expect(try await queue.waiting().isEmpty)
    }

    @Test("of which the store does not say whether it is confirmed is confirmed again, and signs in once")
    func unsure() async throws {
        for fault in FaultyStore.Fault.allCases {
            let fixture = try Fixture()
            let browser = try await fixture.signedIn()
            let question = try await browser.asked(fixture)
            fixture.store.isDown = true
            await #expect(throws: BFFError.self) { try await browser.confirm(question) }
            fixture.store.isDown = false
            let key = try browser.sessionKey()
            fixture.store.fail("commit", of: key, fault, fault, fault, fault)
            let first = browser.at(fixture.backend)
            _ = try? await first.confirm(question)
            await fixture.backend.settled()
            #expect(try await browser.confirm(question)["user"]?["subject"] == "eve")
            #expect(try await browser.user()["subject"] == "eve")
            fixture.time.advance(by: .seconds(200))
            await ends(fixture)
            #expect(fixture.provider.grants == ["eve"] && Array(fixture.provider.sessions.values) == ["eve"])
        }
    }

    @Test("does not wait where what ends it cannot be written down: it is refused and ended")
    func unwritten() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        for place in 0..<32 {
            let key = SessionKey(tag: Array("cloakroom revocations \(place)".utf8))
            fixture.store.fail("commit", of: key, .before)
        }
        fixture.provider.script(.start, .success("eve"))
        await #expect(throws: BFFError.subjectChanged) { try await browser.open(link: "id-1") }
        #expect(fixture.provider.grants == ["demo"] && Array(fixture.provider.sessions.values) == ["demo"])
    }

    /// A sign-in of another user by a link, held before the question is stored: its browser, the page that was answered,
    /// the answer and the gate that holds it.
    private func underWay(
        _ fixture: Fixture
    ) async throws -> (Browser, page: JSONValue, late: Task<JSONValue, any Error>, Gate) {
        let browser = try await fixture.signedIn()
        fixture.provider.script(.start, .page("Again"))
        let page = try await browser.open(link: "id-1")
        let tab = browser.at(fixture.backend)
        let gate = Gate()
        fixture.provider.hold(.userinfo, at: gate)
        fixture.provider.script(.next, .success("eve"))
        let late = Task { try await tab.next(try Browser.answer(page, ["code": "1"])) }
        await gate.waitUntilHeld()
        fixture.provider.hold(.userinfo, at: nil)
        return (browser, page, late, gate)
    }

    @Test("does not wait in a session that ended, or under a cookie that was replaced, meanwhile: it is ended at once")
    func endedMeanwhile() async throws {
        for logsOut in [true, false] {
            let fixture = try Fixture()
            let (browser, _, late, gate) = try await underWay(fixture)
            if logsOut { try await browser.logoutAll() } else { try await browser.signIn("demo", "transaction") }
            gate.open()
            await #expect(throws: BFFError.self) { try await late.value }
            await fixture.backend.settled()
            #expect(!fixture.provider.grants.contains("eve") && !fixture.provider.sessions.values.contains("eve"))
        }
    }

    @Test("does not wait where its flow is cancelled while the question is written down: it is ended at once")
    func cancelledMeanwhile() async throws {
        let fixture = try Fixture()
        let (browser, page, late, gate) = try await underWay(fixture)
        // The sign-in is refused without a commit; the first one is of what ends it.
        let cancelled = Locked(false)
        fixture.store.before("commit") {
            _ = try? await browser.cancel(page)
            cancelled.withLock { $0 = true }
        }
        gate.open()
        await #expect(throws: BFFError.flowExpired) { try await late.value }
        await fixture.backend.settled()
        #expect(cancelled.withLock { $0 })
        #expect(fixture.provider.grants == ["demo"] && Array(fixture.provider.sessions.values) == ["demo"])
        await #expect(throws: BFFError.flowExpired) { try await browser.flow(page) }
        #expect(try await browser.user()["subject"] == "demo")
        #expect(try await fixture.backend.sessions.revocations.queue.waiting().isEmpty)
    }
}
