import Basics
import StorageKit
import TestSupport
import Testing

@Suite("Every store, of time,")
struct ExpiryContractTests {
    @Test("ends a session at the very instant", arguments: StoreFixture.all)
    func session(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            let key = SessionKey.unique()
            try await store.commit(key, .create(expires: clock.after(.seconds(60)), writes: [.set("a", [1])]))
            clock.advance(by: .milliseconds(59_999))
            #expect(try await store.read(key, .all).exists)
            clock.advance(by: .milliseconds(1))
            #expect(try await store.read(key, .all) == .absent)
            let extend = SessionCommit.update(expires: clock.after(.seconds(60)))
            #expect(await refusal { () throws(StoreError) in try await store.commit(key, extend) } == .gone)
            try await store.commit(key, .create(expires: clock.after(.seconds(60)), writes: [.set("b", [1])]))
            #expect(try await store.read(key, .all).entries.map(\.name) == ["b"])
        }
    }

    @Test("extends, keeps and shortens a session as the commit says", arguments: StoreFixture.all)
    func slide(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            let key = SessionKey.unique()
            try await store.commit(key, .create(expires: clock.after(.seconds(60)), writes: [.set("a", [1])]))
            clock.advance(by: .seconds(59))
            try await store.commit(key, .update(expires: clock.after(.seconds(600))))
            clock.advance(by: .seconds(500))
            try await store.commit(key, .update(writes: [.set("a", [2])]))
            #expect(try await store.read(key, .all).expires == clock.after(.seconds(100)))
            try await store.commit(key, .update(expires: clock.after(.seconds(5))))
            clock.advance(by: .seconds(5))
            #expect(try await store.read(key, .all) == .absent)
        }
    }

    @Test("treats what ends now or ended before as absent at once", arguments: StoreFixture.all)
    func past(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            let key = SessionKey.unique()
            try await store.commit(key, .create(expires: clock.now(), writes: [.set("a", [1])]))
            #expect(try await store.read(key, .all) == .absent)
            try await store.commit(
                key,
                .create(
                    expires: clock.after(.seconds(60)),
                    writes: [
                        .set("now", [1], expires: clock.now()), .set("then", [1], expires: Timestamp(seconds: -5)),
                    ]))
            #expect(try await store.read(key, .all).entries.isEmpty)
            try await store.commit(key, .update(expires: Timestamp(milliseconds: .min)))
            #expect(try await store.read(key, .all) == .absent)
        }
    }

    @Test("ends a field before its session, and never after it", arguments: StoreFixture.all)
    func field(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            let key = SessionKey.unique()
            let writes: [FieldWrite] = [
                .set("short", [1], expires: clock.after(.seconds(10))),
                .set("long", [1], expires: clock.after(.seconds(900))),
                .set("plain", [1]),
            ]
            try await store.commit(key, .create(expires: clock.after(.seconds(60)), writes: writes))
            clock.advance(by: .milliseconds(9_999))
            #expect(try await store.read(key, .names(["short"])).entries.count == 1)
            clock.advance(by: .milliseconds(1))
            #expect(try await store.read(key, .names(["short"])).entries.isEmpty)
            #expect(Set(try await store.read(key, .all).entries.map(\.name)) == ["long", "plain"])
            try await store.commit(key, .update(writes: [.set("short", [2], expected: .absent)]))
            clock.advance(by: .seconds(50))
            #expect(try await store.read(key, .all) == .absent)
        }
    }

    @Test("lets a new value of a field have a new end", arguments: StoreFixture.all)
    func fieldAgain(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            let key = SessionKey.unique()
            let first = FieldWrite.set("a", [1], expires: clock.after(.seconds(10)))
            try await store.commit(key, .create(expires: clock.after(.seconds(60)), writes: [first]))
            try await store.commit(key, .update(writes: [.set("a", [2])]))
            clock.advance(by: .seconds(10))
            #expect(try await store.read(key, .all)["a"]?.value == [2])
        }
    }

    @Test("follows a clock that is set back", arguments: StoreFixture.all)
    func clockBack(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            let key = SessionKey.unique()
            try await store.commit(key, .create(expires: clock.after(.seconds(60)), writes: [.set("a", [1])]))
            clock.advance(by: .seconds(-3600))
            let revisions = try await store.commit(key, .update(writes: [.set("a", [2], expected: .any)]))
            #expect(try await store.read(key, .all)["a"]?.revision == revisions["a"])
        }
    }
}
