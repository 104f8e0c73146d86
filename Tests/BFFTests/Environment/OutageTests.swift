import BFF
import Basics
import JSON
import StorageKit
import TestSupport
import Testing

@testable import BFF

/// One store call after the other fails, without effect or after it; nothing may be lost or left at the provider.
@Suite("A store that fails once")
struct OutageTests {
    /// Runs a scenario with a fault at each of its store calls.
    private func atEachCall(
        _ kind: StoreKind, _ scenario: (Fixture, () -> Void) async throws -> Void
    ) async throws {
        let counted = try Fixture(kind)
        counted.store.countsIndex = true
        try await scenario(counted) { counted.store.reset() }
        let count = counted.store.calls.count
        #expect(count > 0)
        for number in 0..<count {
            for fault in FaultyStore.Fault.allCases {
                let fixture = try Fixture(kind)
                fixture.store.countsIndex = true
                try await withKnownPlace(number, fault, fixture) {
                    try await scenario(fixture) {
                        fixture.store.reset()
                        fixture.store.fail(number, fault)
                    }
                }
            }
        }
    }

    private func withKnownPlace(
        _ number: Int, _ fault: FaultyStore.Fault, _ fixture: Fixture, _ body: () async throws -> Void
    ) async throws {
        do {
            try await body()
        } catch {
            let names = fixture.store.calls.map(\.name).joined(separator: " ")
            Issue.record("\(error) with a fault \(fault) call \(number) of: \(names)")
        }
    }

    /// Asks again as long as the store is said to be away, as the SPA does.
    private func insisting<Value>(_ work: () async throws -> Value) async throws -> Value {
        for _ in 0..<3 {
            do {
                return try await work()
            } catch BFFError.storeUnavailable {
                continue
            }
        }
        return try await work()
    }

    @Test("loses no sign-in and leaves nothing at the provider", arguments: StoreKind.allCases)
    func signIn(kind: StoreKind) async throws {
        try await atEachCall(kind) { fixture, begin in
            let browser = fixture.browser()
            let page = try await browser.start()
            begin()
            let body = try Browser.login(page)
            let node = try await insisting { try await browser.next(body) }
            #expect(node["type"] == "success")
            #expect(try await insisting { try await browser.user() }["subject"] == "demo")
            await fixture.backend.retryRevocations(until: .now + .seconds(5))
            #expect(fixture.provider.grants == ["demo"] && fixture.provider.sessions.count == 1)
            #expect(fixture.provider.count(.next) == 1)
        }
    }

    @Test("loses no step", arguments: StoreKind.allCases)
    func step(kind: StoreKind) async throws {
        try await atEachCall(kind) { fixture, begin in
            let browser = fixture.browser()
            fixture.provider.script(.next, .page("Again"))
            let page = try await browser.start()
            begin()
            let body = try Browser.login(page)
            let node = try await insisting { try await browser.next(body) }
            #expect(node["step"]?.int == 2)
            #expect(try await insisting { try await browser.flow(page) } == node)
            #expect(fixture.provider.count(.next) == 1)
        }
    }

    @Test("leaves a start that can be repeated, and one session", arguments: StoreKind.allCases)
    func start(kind: StoreKind) async throws {
        try await atEachCall(kind) { fixture, begin in
            let browser = fixture.browser()
            begin()
            let page = try await insisting { try await browser.start() }
            #expect(try await insisting { try await browser.flow(page) } == page)
        }
    }

    @Test("loses no step-up, and the standard token stays", arguments: StoreKind.allCases)
    func stepUp(kind: StoreKind) async throws {
        try await atEachCall(kind) { fixture, begin in
            let browser = try await fixture.signedIn()
            begin()
            // By the session alone: one call that starts, signs in and gives a new cookie.
            let node = try await insisting { try await browser.start("transaction") }
            #expect(node["type"] == "success")
            #expect(try await insisting { try await browser.user("transaction") }["subject"] == "demo")
            #expect(try await insisting { try await browser.user() }["subject"] == "demo")
            await fixture.backend.retryRevocations(until: .now + .seconds(5))
            #expect(fixture.provider.grants == ["demo", "demo"] && fixture.provider.sessions.count == 1)
        }
    }

    @Test("loses no renewed token", arguments: StoreKind.allCases)
    func renewal(kind: StoreKind) async throws {
        try await atEachCall(kind) { fixture, begin in
            let browser = try await fixture.signedIn()
            fixture.time.advance(by: .seconds(270))
            begin()
            #expect(try await insisting { try await browser.user() }["subject"] == "demo")
            fixture.time.advance(by: .seconds(60))
            #expect(try await insisting { try await browser.user() }["token"]?["expiresIn"]?.int ?? 0 > 0)
            #expect(fixture.provider.grants == ["demo"] && fixture.provider.reuses == 0)
        }
    }

    @Test("ends what is signed out, at the provider too", arguments: StoreKind.allCases)
    func logout(kind: StoreKind) async throws {
        try await atEachCall(kind) { fixture, begin in
            let browser = try await fixture.signedIn()
            try await browser.signIn("demo", "admin")
            begin()
            try await insisting { try await browser.logoutAll() }
            #expect(browser.cookie == nil)
            await fixture.backend.retryRevocations(until: .now + .seconds(5))
            fixture.time.advance(by: .seconds(61))
            await fixture.backend.retryRevocations(until: .now + .seconds(5))
            #expect(fixture.provider.grants.isEmpty && fixture.provider.sessions.isEmpty)
        }
    }

    @Test("ends one instance and leaves the other", arguments: StoreKind.allCases)
    func logoutOne(kind: StoreKind) async throws {
        try await atEachCall(kind) { fixture, begin in
            let browser = try await fixture.signedIn()
            try await browser.start("transaction")
            begin()
            try await insisting { try await browser.logout("transaction") }
            #expect(try await insisting { try await browser.user() }["subject"] == "demo")
            fixture.time.advance(by: .seconds(61))
            await fixture.backend.retryRevocations(until: .now + .seconds(5))
            #expect(fixture.provider.grants == ["demo"] && fixture.provider.sessions.count == 1)
        }
    }
}

@Suite("A store that is away")
struct DownTests {
    @Test("makes every operation say so, and touches no cookie")
    func down() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let page = try await browser.start { $0.forceAuth = true }
        let cookie = browser.cookie
        fixture.store.isDown = true
        let away = BFFError.storeUnavailable(retryAfter: .seconds(5))
        await #expect(throws: away) { try await browser.session() }
        await #expect(throws: away) { try await browser.user() }
        await #expect(throws: away) { try await browser.refreshToken() }
        await #expect(throws: away) { try await browser.start() }
        await #expect(throws: away) { try await browser.next(try Browser.login(page)) }
        await #expect(throws: away) { try await browser.flow(page) }
        await #expect(throws: away) { try await browser.cancel(page) }
        await #expect(throws: away) { try await browser.revokeToken() }
        await #expect(throws: away) { try await browser.logout() }
        await #expect(throws: away) { try await browser.logoutAll() }
        await #expect(throws: away) { try await fixture.backend.ping() }
        await fixture.backend.retryRevocations(until: .now + .seconds(1))
        fixture.store.isDown = false
        #expect(browser.cookie == cookie)
        #expect(try await browser.user()["subject"] == "demo")
        #expect(try await browser.next(try Browser.login(page))["type"] == "success")
    }

    @Test("while the provider signs in gets the sign-in undone", arguments: [true, false])
    func awayForGood(atStart: Bool) async throws {
        let fixture = try Fixture()
        let browser = fixture.browser()
        let page = atStart ? .null : try await browser.start()
        let gate = Gate()
        fixture.provider.script(atStart ? .start : .next, .success("demo"))
        fixture.provider.hold(.userinfo, at: gate)
        let task = Task {
            if atStart { try await browser.start() } else { try await browser.next(try Browser.login(page)) }
        }
        await gate.waitUntilHeld()
        fixture.store.isDown = true
        gate.open()
        await #expect(throws: BFFError.storeUnavailable(retryAfter: .seconds(5))) { try await task.value }
        #expect(fixture.provider.grants.isEmpty && fixture.provider.sessions.isEmpty)
        #expect(fixture.log.lines.contains { $0.contains("could not be written down") })
    }

    @Test("while a provider answers a step leaves the step unanswered, and never sends it again")
    func awayAtStep() async throws {
        let fixture = try Fixture()
        let browser = fixture.browser()
        let page = try await browser.start()
        let body = try Browser.login(page)
        let gate = Gate()
        fixture.provider.script(.next, .page("Again"))
        fixture.provider.hold(.next, at: gate)
        let task = Task { try await browser.next(body) }
        await gate.waitUntilHeld()
        fixture.store.isDown = true
        gate.open()
        await #expect(throws: BFFError.storeUnavailable(retryAfter: .seconds(5))) { try await task.value }
        fixture.store.isDown = false
        await #expect(throws: BFFError.stepInProgress) { try await browser.next(body, within: .milliseconds(400)) }
        fixture.time.advance(by: .seconds(45))
        #expect(try await browser.next(body)["reason"] == "outcome-unknown")
        #expect(fixture.provider.count(.next) == 1)
    }

    @Test("does not keep a token from being used that was read before")
    func slide() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        fixture.time.advance(by: .seconds(120))
        fixture.store.reset()
        fixture.store.fail(1, .before)
        #expect(try await browser.user()["subject"] == "demo")
        #expect(fixture.store.calls.map(\.name).prefix(2) == ["read", "commit"])
        // The use counts all the same: nobody may come again before the session ends.
        await fixture.backend.settled()
        #expect(try await browser.session()["expiresIn"]?["idle"]?.int == 1800)
    }

    /// Uses that are being written, besides the one of a test.
    enum Sliding: CaseIterable {
        case room, full, same
    }

    @Test(
        "writes a use that it did not take once more, once for a session and for few at once",
        arguments: Sliding.allCases)
    func slides(sliding: Sliding) async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let own = try #require(browser.cookie.flatMap { SessionCredential(cookieValue: $0)?.sessionKey })
        let others = (0..<32).map { _ in SessionCredential.generate().sessionKey }
        fixture.backend.environment.work.extendingIdle.withLock { keys in
            switch sliding {
            case .room: keys = Set(others.dropLast())
            case .full: keys = Set(others)
            case .same: keys = [own]
            }
        }
        fixture.time.advance(by: .seconds(120))
        fixture.store.reset()
        fixture.store.fail("commit", of: own, .before)
        #expect(try await browser.user()["subject"] == "demo")
        #expect(fixture.store.calls.count { $0.name == "commit" } == (sliding == .room ? 2 : 1))
    }
}
