import Basics
import StorageKit
import TestSupport
import Testing

@testable import Sessions

@Suite("Copies of a session")
struct CopiesUnderChangeTests {
    @Test("are gone before a change reaches the store, and none is made until it is over")
    func change() async throws {
        let time = ManualTime()
        let copies = SessionCopies()
        let inner = FaultyStore(MemoryStore(time: time))
        let store = WatchedStore(inner: inner, health: StoreHealth(time), copies: copies)
        let key = SessionKey(tag: [1])
        _ = try await store.commit(key, .create(expires: time.now() + .seconds(60), writes: [.set("a", [1])]))
        let read = try await inner.read(key, .names(["a"]))
        @Sendable func keep() {
            for _ in 0..<2 { copies.keep(read, ["a"], of: key, copies.begin(key, at: time.now())) }
        }
        @Sendable func isThere() -> Bool { copies.copy(key, ["a"], maxAge: .seconds(60), at: time.now()) != nil }
        keep()
        #expect(isThere())
        let seen = Locked<[Bool]>([])
        inner.before("commit") {
            seen.withLock { $0.append(isThere()) }
            // Somebody reads meanwhile what was there before.
            keep()
        }
        _ = try await store.commit(key, .update(writes: [.set("a", [2])]))
        #expect(seen.withLock { $0 } == [false])
        #expect(!isThere())
    }
}
