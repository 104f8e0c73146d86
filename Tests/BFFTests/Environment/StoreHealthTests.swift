import BFF
import Basics
import JSON
import Logs
import StorageKit
import TestSupport
import Testing

@testable import BFF
@testable import Sessions

@Suite("Readiness")
struct StoreHealthTests {
    private static let away = BFFError.storeUnavailable(retryAfter: .seconds(5))

    private func puts(_ fixture: Fixture) -> Int { fixture.store.calls.count { $0.name == "put" } }

    @Test("writes to the store, once in two seconds however often it is asked", arguments: StoreKind.allCases)
    func probes(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        fixture.store.reset()
        for _ in 0..<50 { try await fixture.backend.ping() }
        #expect(puts(fixture) == 1)
        fixture.time.advance(by: StoreHealth.interval)
        for _ in 0..<50 { try await fixture.backend.ping() }
        #expect(puts(fixture) == 2)
        // A clock that was set back is no reason to believe an old answer for long.
        fixture.time.advance(by: .seconds(-3600))
        try await fixture.backend.ping()
        #expect(puts(fixture) == 3)
    }

    @Test("shares one write among all who ask at the same time")
    func shared() async throws {
        let fixture = try Fixture()
        fixture.store.reset()
        let gate = Gate()
        fixture.store.hold("put", at: gate)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { try await fixture.backend.ping() } }
            await gate.waitUntilHeld()
            gate.open()
            try await group.waitForAll()
        }
        #expect(puts(fixture) == 1)
    }

    @Test("fails while nothing can be written, though everything can be read, and comes back")
    func onlyReads() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        // It answers, and then takes no write.
        fixture.store.before("ping") { fixture.store.isDown = true }
        await #expect(throws: Self.away) { try await fixture.backend.ping() }
        fixture.store.isDown = false
        #expect(try await browser.user()["subject"] == "demo")
        // Known for a while, and without a further write.
        fixture.store.reset()
        await #expect(throws: Self.away) { try await fixture.backend.ping() }
        #expect(puts(fixture) == 0)
        fixture.time.advance(by: StoreHealth.interval)
        try await fixture.backend.ping()
        #expect(fixture.log.lines.contains { $0.contains("The store takes no writes") })
        #expect(fixture.log.lines.contains { $0.contains("The store takes writes again") })
    }

    @Test("counts the writes of requests: some that fail in a row are enough, whatever a small write comes to")
    func failedWrites() async throws {
        let fixture = try Fixture()
        try await fixture.backend.ping()
        fixture.time.advance(by: StoreHealth.interval)
        fixture.store.isDown = true
        for _ in 0..<2 { await #expect(throws: Self.away) { try await fixture.browser().start() } }
        fixture.store.isDown = false
        fixture.store.reset()
        await #expect(throws: Self.away) { try await fixture.backend.ping() }
        #expect(puts(fixture) == 0, "nothing is tried: it is known")
        fixture.time.advance(by: StoreHealth.failureMemory)
        try await fixture.backend.ping()
    }

    @Test("forgets failed writes with the first that succeeds")
    func succeeded() async throws {
        let fixture = try Fixture()
        fixture.store.isDown = true
        for _ in 0..<2 { await #expect(throws: Self.away) { try await fixture.browser().start() } }
        fixture.store.isDown = false
        _ = try await fixture.browser().start()
        try await fixture.backend.ping()
    }

    @Test("is not lost to a store at its bound, nor to refusals that are none of its making")
    func refusals() async throws {
        let health = StoreHealth(ManualTime())
        let full = RefusingStore(error: .full)
        for error in [StoreError.full, .gone, .conflict(field: "a")] {
            for _ in 0..<10 { health.note(error) }
        }
        #expect(await health.takesWrites(full, .silent))
        for _ in 0..<StoreHealth.failureLimit { health.note(.unavailable) }
        #expect(await !health.takesWrites(full, .silent))
        health.note(nil)
        #expect(await health.takesWrites(full, .silent))
        #expect(await !StoreHealth(ManualTime()).takesWrites(RefusingStore(error: .unavailable), .silent))
    }
}

/// A store that refuses to keep a value.
private struct RefusingStore: ByteStore {
    let error: StoreError
    private let inner = MemoryStore(time: ManualTime())

    init(error: StoreError) { self.error = error }

    func read(_ session: SessionKey, _ fields: FieldSelection) async throws(StoreError) -> SessionSnapshot {
        try await inner.read(session, fields)
    }

    func commit(_ session: SessionKey, _ commit: SessionCommit) async throws(StoreError) -> [String: UInt64] {
        try await inner.commit(session, commit)
    }

    func put(_ key: String, _ value: [UInt8], expires: Timestamp) async throws(StoreError) { throw error }
    func take(_ key: String) async throws(StoreError) -> [UInt8]? { try await inner.take(key) }

    func claim(_ name: String, for duration: Duration) async throws(StoreError) -> Lease? {
        try await inner.claim(name, for: duration)
    }

    func renew(_ lease: Lease, for duration: Duration) async throws(StoreError) -> Lease? {
        try await inner.renew(lease, for: duration)
    }

    func release(_ lease: Lease) async throws(StoreError) { try await inner.release(lease) }
    func ping() async throws(StoreError) {}
    func close() async { await inner.close() }
}
