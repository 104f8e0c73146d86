import Basics
import StorageKit
import TestSupport
import Testing

@Suite("Every store with change messages")
struct ChangeContractTests {
    @Test("tells every subscriber of a session what was written and that it ended", arguments: StoreFixture.withChanges)
    func sessions(fixture: StoreFixture) async throws {
        try await fixture.run(as: (any ChangeMessages).self) { store, messages, clock in
            let key = SessionKey.unique()
            let (one, two) = (
                try await messages.changes(of: .session(key)), try await messages.changes(of: .session(key))
            )
            var (first, second) = (one.makeAsyncIterator(), two.makeAsyncIterator())
            let commits = [
                SessionCommit.create(expires: clock.after(.seconds(60)), writes: [.set("a", [1])]),
                .update(writes: [.set("b", [1])]), .update(writes: [.delete("a")]),
            ]
            for commit in commits {
                try await store.commit(key, commit)
                #expect(await first.next() != nil)
                #expect(await second.next() != nil)
            }
            try await store.commit(key, .end())
            #expect(await first.next() != nil)
            #expect(await second.next() != nil)
        }
    }

    @Test("tells of a lease that is released", arguments: StoreFixture.withChanges)
    func leases(fixture: StoreFixture) async throws {
        try await fixture.run(as: (any ChangeMessages).self) { store, messages, _ in
            let lease = try #require(try await store.claim("n", for: .seconds(10)))
            var changes = try await messages.changes(of: .lease("n")).makeAsyncIterator()
            try await store.release(lease)
            #expect(await changes.next() != nil)
            #expect(try await store.claim("n", for: .seconds(10)) != nil)
        }
    }

    @Test("tells one who is slow once, and then goes on", arguments: StoreFixture.withChanges)
    func slow(fixture: StoreFixture) async throws {
        try await fixture.run(as: (any ChangeMessages).self) { store, messages, clock in
            let key = SessionKey.unique()
            var changes = try await messages.changes(of: .session(key)).makeAsyncIterator()
            try await store.commit(key, .create(expires: clock.after(.seconds(60))))
            for _ in 0..<1_100 { try await store.commit(key, .update(writes: [.set("a", [1])])) }
            #expect(await changes.next() != nil)
            let next = Task { [changes] in
                var changes = changes
                return await changes.next() != nil
            }
            try await store.commit(key, .update(writes: [.set("b", [1])]))
            #expect(await next.value)
        }
    }

    @Test("ends the streams when it is closed, and begins none", arguments: StoreFixture.withChanges)
    func closed(fixture: StoreFixture) async throws {
        try await fixture.run(as: (any ChangeMessages).self) { store, messages, _ in
            let subject = StoreSubject.lease("n")
            var before = try await messages.changes(of: subject).makeAsyncIterator()
            let waiting = Task { [stream = try await messages.changes(of: subject)] in
                var iterator = stream.makeAsyncIterator()
                return await iterator.next()
            }
            await store.close()
            #expect(await before.next() == nil)
            #expect(await waiting.value == nil)
            #expect(await refusal { () throws(StoreError) in try await messages.changes(of: subject) } == .unavailable)
        }
    }

    @Test("ends the stream of a reader that is cancelled", arguments: StoreFixture.withChanges)
    func cancelled(fixture: StoreFixture) async throws {
        try await fixture.run(as: (any ChangeMessages).self) { _, messages, _ in
            let waiting = Task { [stream = try await messages.changes(of: .lease("n"))] in
                for await _ in stream {}
                return true
            }
            waiting.cancel()
            #expect(await waiting.value)
        }
    }
}
