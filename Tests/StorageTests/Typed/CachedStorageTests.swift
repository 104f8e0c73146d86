import Basics
import StorageKit
import TestSupport
import Testing

/// A storage that fails when told to, and counts.
final class FaultyStorage: Storage {
    struct State {
        var item: String?
        var fault: StorageError?
        var reads = 0
        var running = 0
        var overlapped = false
    }

    let state: Locked<State>
    let gate: Gate?

    init(_ item: String? = nil, gate: Gate? = nil) {
        state = Locked(State(item: item))
        self.gate = gate
    }

    func save(_ item: String) async throws(StorageError) {
        state.withLock { state in
            state.overlapped = state.overlapped || state.running > 0
            state.running += 1
        }
        await gate?.pass()
        state.withLock { $0.running -= 1 }
        try check()
        state.withLock { $0.item = item }
    }

    func get() async throws(StorageError) -> String? {
        state.withLock { state in
            state.reads += 1
            state.overlapped = state.overlapped || state.running > 0
        }
        try check()
        return state.withLock { $0.item }
    }

    func delete() async throws(StorageError) {
        try check()
        state.withLock { $0.item = nil }
    }

    func fail(_ fault: StorageError?) { state.withLock { $0.fault = fault } }

    private func check() throws(StorageError) {
        if let fault = state.withLock({ $0.fault }) { throw fault }
    }
}

@Suite("A storage with a cache")
struct CachedStorageTests {
    /// One row of the table in the documentation of the mobile SDKs.
    struct Row: Sendable, CustomTestStringConvertible {
        let strategy: CacheStrategy
        let saveFails: Bool
        /// Whether the failed save is reported.
        let reported: Bool
        /// What a get finds afterwards while the storage behind, which had "old", has "behind".
        let found: String

        var testDescription: String { "\(strategy), save \(saveFails ? "fails" : "succeeds")" }
    }

    static let table = [
        Row(strategy: .noCache, saveFails: false, reported: false, found: "behind"),
        Row(strategy: .noCache, saveFails: true, reported: true, found: "behind"),
        Row(strategy: .cacheOnFailure, saveFails: false, reported: false, found: "behind"),
        Row(strategy: .cacheOnFailure, saveFails: true, reported: false, found: "new"),
        Row(strategy: .cache, saveFails: false, reported: false, found: "new"),
        Row(strategy: .cache, saveFails: true, reported: false, found: "new"),
    ]

    @Test("keeps what its strategy says", arguments: table, [StorageError.unavailable, .full])
    func strategies(row: Row, fault: StorageError) async throws {
        let base = FaultyStorage("old")
        let storage = base.cached(row.strategy)
        if row.saveFails { base.fail(fault) }
        var thrown: StorageError?
        do throws(StorageError) { try await storage.save("new") } catch { thrown = error }
        #expect(thrown == (row.reported ? fault : nil))
        #expect(base.state.withLock { $0.item } == (row.saveFails ? "old" : "new"))
        base.fail(nil)
        base.state.withLock { $0.item = "behind" }
        #expect(try await storage.get() == row.found)
        #expect(base.state.withLock { $0.reads } == (row.found == "behind" ? 1 : 0))
    }

    @Test("never fills the cache by reading", arguments: CacheStrategy.allCases)
    func readsDoNotFill(strategy: CacheStrategy) async throws {
        let base = FaultyStorage("one")
        let storage = base.cached(strategy)
        #expect(try await storage.get() == "one")
        base.state.withLock { $0.item = "two" }
        #expect(try await storage.get() == "two")
    }

    @Test(
        "empties the cache before it saves, so that a refused item is not followed by an older one",
        arguments: CacheStrategy.allCases, [StorageError.gone, .conflict, .malformed])
    func refusals(strategy: CacheStrategy, refusal: StorageError) async throws {
        let base = FaultyStorage()
        let storage = base.cached(strategy)
        try await storage.save("cached")
        base.fail(refusal)
        await #expect(throws: refusal) { try await storage.save("new") }
        base.fail(nil)
        base.state.withLock { $0.item = "behind" }
        #expect(try await storage.get() == "behind")
    }

    @Test("empties the cache when it deletes, also when that fails", arguments: CacheStrategy.allCases)
    func deletes(strategy: CacheStrategy) async throws {
        let base = FaultyStorage()
        let storage = base.cached(strategy)
        try await storage.save("one")
        base.fail(.unavailable)
        await #expect(throws: StorageError.unavailable) { try await storage.delete() }
        await #expect(throws: StorageError.unavailable) { try await storage.get() }
        base.fail(nil)
        #expect(try await storage.get() == "one")
        try await storage.delete()
        #expect(try await storage.get() == nil)
    }

    @Test("reports a failed read when nothing is cached", arguments: CacheStrategy.allCases)
    func failedRead(strategy: CacheStrategy) async throws {
        let base = FaultyStorage("one")
        let storage = base.cached(strategy)
        base.fail(.unavailable)
        await #expect(throws: StorageError.unavailable) { try await storage.get() }
    }

    @Test func `runs one call at a time`() async throws {
        let gate = Gate()
        let base = FaultyStorage(gate: gate)
        let storage = base.cached(.cache)
        let first = Task { try await storage.save("one") }
        await gate.waitUntilHeld()
        let others = (0..<20).map { number in
            Task {
                number % 2 == 0
                    ? try await storage.get()
                    : try await {
                        try await storage.save("more"); return nil
                    }()
            }
        }
        gate.open()
        try await first.value
        for other in others { _ = try await other.value }
        #expect(!base.state.withLock { $0.overlapped })
    }

    @Test func `in memory alone is a storage as well`() async throws {
        let storage = MemoryStorage<String>("one")
        #expect(try await storage.get() == "one")
        try await storage.save("two")
        #expect(try await storage.get() == "two")
        try await storage.delete()
        #expect(try await storage.get() == nil)
    }
}
