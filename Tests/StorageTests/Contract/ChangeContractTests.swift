import Basics
import StorageKit
import TestSupport
import Testing

@Suite("Every store, of changes,")
struct ChangeContractTests {
    @Test("tells every subscriber what was written and what ended", arguments: StoreFixture.all)
    func messages(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            let key = SessionKey.unique()
            var (one, two) = (store.changes().makeAsyncIterator(), store.changes().makeAsyncIterator())
            try await store.commit(key, .create(expires: clock.after(.seconds(60)), writes: [.set("a", [1])]))
            try await store.commit(key, .update(expires: clock.after(.seconds(90))))
            try await store.commit(key, .update(writes: [.set("b", [1]), .delete("a")]))
            let refused = SessionCommit.update(writes: [.set("c", [1], expected: .revision(1))])
            #expect(await refusal { () throws(StoreError) in try await store.commit(key, refused) } != nil)
            try await store.destroy(key)
            let expected: [StoreChange] = [
                .recordsChanged(key, ["a"]), .recordsChanged(key, ["b", "a"]), .sessionGone(key),
            ]
            for change in expected {
                #expect(await one.next() == change)
                #expect(await two.next() == change)
            }
        }
    }

    @Test("tells a slow subscriber that it missed some, and then goes on", arguments: StoreFixture.all)
    func missed(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            let key = SessionKey.unique()
            var changes = store.changes().makeAsyncIterator()
            try await store.commit(key, .create(expires: clock.after(.seconds(60))))
            for _ in 0..<1_100 { try await store.commit(key, .update(writes: [.set("a", [1])])) }
            #expect(await changes.next() == .missed)
            try await store.commit(key, .update(writes: [.set("b", [1])]))
            #expect(await changes.next() == .recordsChanged(key, ["b"]))
        }
    }

    @Test("ends the streams when it is closed", arguments: StoreFixture.all)
    func closed(fixture: StoreFixture) async throws {
        try await fixture.run { store, _ in
            var before = store.changes().makeAsyncIterator()
            let waiting = Task { [stream = store.changes()] in
                var iterator = stream.makeAsyncIterator()
                return await iterator.next()
            }
            await store.close()
            #expect(await before.next() == nil)
            #expect(await waiting.value == nil)
            var after = store.changes().makeAsyncIterator()
            #expect(await after.next() == nil)
        }
    }

    @Test("ends the stream of a reader that is cancelled", arguments: StoreFixture.all)
    func cancelled(fixture: StoreFixture) async throws {
        try await fixture.run { store, _ in
            let waiting = Task { [stream = store.changes()] in
                for await _ in stream {}
                return true
            }
            waiting.cancel()
            #expect(await waiting.value)
        }
    }
}
