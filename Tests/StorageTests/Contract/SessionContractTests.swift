import Basics
import StorageKit
import TestSupport
import Testing

@Suite("Every store, of its sessions,")
struct SessionContractTests {
    @Test("is read alike whatever the order of its fields")
    func order() {
        let (a, b) = (entry("a", 1), entry("b", 2))
        let end = Timestamp(milliseconds: 5)
        let one = SessionSnapshot(exists: true, entries: [a, b], expires: end)
        #expect(one == SessionSnapshot(exists: true, entries: [b, a], expires: end))
        for other in [[a], [a, a], [a, entry("b", 3)], [a, entry("c", 2)], [a, b, b]] {
            #expect(one != SessionSnapshot(exists: true, entries: other, expires: end))
        }
        #expect(one != SessionSnapshot(exists: true, entries: [a, b], expires: nil))
    }

    private func entry(_ name: String, _ value: UInt8) -> SessionSnapshot.Entry {
        .init(name: name, field: StoredField(value: [value], revision: 1))
    }

    @Test("says that one it does not know is absent", arguments: StoreFixture.all)
    func unknown(fixture: StoreFixture) async throws {
        try await fixture.run { store, _ in
            let answers = [
                try await store.read(.unique(), .all), try await store.read(.unique(), .names(["a"])),
            ]
            #expect(answers == [.absent, .absent])
        }
    }

    @Test("refuses to update or extend one it does not know", arguments: StoreFixture.all)
    func updateUnknown(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            let key = SessionKey.unique()
            let writes = SessionCommit.update(writes: [.set("a", [1])])
            #expect(await refusal { () throws(StoreError) in try await store.commit(key, writes) } == .gone)
            let extend = SessionCommit.update(expires: clock.after(.seconds(60)))
            #expect(await refusal { () throws(StoreError) in try await store.commit(key, extend) } == .gone)
            let after = try await store.read(key, .all)
            #expect(after == .absent)
        }
    }

    @Test("gives back what was written, all of it or the fields asked for", arguments: StoreFixture.all)
    func roundTrip(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            let key = SessionKey.unique()
            let end = clock.after(.seconds(60))
            let every = (0...255).map { UInt8($0) }
            let revisions = try await store.commit(
                key,
                .create(
                    expires: end, writes: [.set("meta", every), .set("empty", []), .set("flow:ä\u{0}/☂", [0, 0])]))
            #expect(Set(revisions.keys) == ["meta", "empty", "flow:ä\u{0}/☂"])
            #expect(Set(revisions.values).count == 3)

            let all = try await store.read(key, .all)
            #expect(all.exists && all.expires == end && all.entries.count == 3)
            #expect(all["meta"] == StoredField(value: every, revision: try #require(revisions["meta"])))
            #expect(all["empty"]?.value == [])
            #expect(all["flow:ä\u{0}/☂"]?.value == [0, 0])
            #expect(all.fields.mapValues(\.revision) == revisions)

            let some = try await store.read(key, .names(["meta", "nothing", "meta"]))
            #expect(some.entries.map(\.name) == ["meta"])
            #expect(try await store.read(key, .names([])).exists)
        }
    }

    @Test("gives no write a revision of a write that was lost: none is behind the clock", arguments: StoreFixture.all)
    func revisionsFollowTheClock(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            let key = SessionKey.unique()
            try await store.commit(key, .create(expires: clock.after(.seconds(7200)), writes: [.set("a", [1])]))
            clock.advance(by: .seconds(3600))
            let revisions = try await store.commit(key, .update(writes: [.set("a", [2]), .set("b", [2])]))
            #expect(revisions.values.allSatisfy { $0 > UInt64(clock.now().milliseconds) })
            #expect(Set(revisions.values).count == 2)
        }
    }

    @Test("reads at once what it would read, or not at all", arguments: StoreFixture.all)
    func readAtOnce(fixture: StoreFixture) async throws {
        let key = SessionKey.unique()
        var last: (any ByteStore)?
        var count = 0
        func atOnce(_ store: any ByteStore, _ selection: FieldSelection) throws -> SessionSnapshot? {
            let snapshot = try store.readAtOnce(key, selection)
            count += snapshot == nil ? 0 : 1
            return snapshot
        }
        try await fixture.run { store, clock in
            last = store
            for _ in 0..<2 {
                for selection in [FieldSelection.all, .names(["a", "nothing"]), .names([])] {
                    let waited = try await store.read(key, selection)
                    if let found = try atOnce(store, selection) { #expect(found == waited) }
                }
                let writes: [FieldWrite] = [.set("a", [1]), .set("b", [2], expires: clock.after(.seconds(9)))]
                try await store.commit(key, .create(expires: clock.after(.seconds(60)), writes: writes))
                clock.advance(by: .seconds(9))
                if let found = try atOnce(store, .all) { #expect(found.entries.map(\.name) == ["a"]) }
                clock.advance(by: .seconds(51))
                if let found = try atOnce(store, .all) { #expect(found == .absent) }
            }
        }
        // The one in memory always can.
        #expect(count == (fixture.testDescription == "memory" ? 10 : 0))
        let closed = try #require(last)
        #expect(
            await refusal { () throws(StoreError) in
                guard try closed.readAtOnce(key, .all) != nil else { throw .unavailable }
            } == .unavailable)
    }

    @Test("keeps a session without fields", arguments: StoreFixture.all)
    func empty(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            let key = SessionKey.unique()
            #expect(try await store.commit(key, .create(expires: clock.after(.seconds(60)))) == [:])
            let snapshot = try await store.read(key, .all)
            #expect(snapshot.exists && snapshot.entries.isEmpty)
        }
    }

    @Test("never creates one that exists", arguments: StoreFixture.all)
    func createTwice(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            let key = SessionKey.unique()
            try await store.commit(key, .create(expires: clock.after(.seconds(60)), writes: [.set("a", [1])]))
            let again = SessionCommit.create(expires: clock.after(.seconds(90)), writes: [.set("a", [2])])
            #expect(
                await refusal { () throws(StoreError) in try await store.commit(key, again) } == .conflict(field: ""))
            let snapshot = try await store.read(key, .all)
            #expect(snapshot["a"]?.value == [1] && snapshot.expires == clock.after(.seconds(60)))
        }
    }

    @Test("keeps two sessions apart", arguments: StoreFixture.all)
    func apart(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            let (one, two) = (SessionKey.unique(), SessionKey.unique())
            let end = clock.after(.seconds(60))
            try await store.commit(one, .create(expires: end, writes: [.set("a", [1])]))
            try await store.commit(two, .create(expires: end, writes: [.set("a", [2])]))
            try await store.commit(one, .end())
            #expect(try await store.read(one, .all) == .absent)
            #expect(try await store.read(two, .all)["a"]?.value == [2])
        }
    }

    @Test(
        "never gives a revision twice, not after a deletion nor after the end of a session", arguments: StoreFixture.all
    )
    func revisions(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            let key = SessionKey.unique()
            var seen = [UInt64]()
            func create() async throws {
                let end = clock.after(.seconds(60))
                seen += try await store.commit(key, .create(expires: end, writes: [.set("a", [0])])).values
            }
            try await create()
            for _ in 0..<3 {
                seen += try await store.commit(key, .update(writes: [.set("a", [1])])).values
                try await store.commit(key, .update(writes: [.delete("a")]))
                seen += try await store.commit(key, .update(writes: [.set("a", [2]), .set("b", [2])])).values
            }
            clock.advance(by: .seconds(60))
            try await create()
            #expect(Set(seen).count == seen.count)
        }
    }

    @Test("leaves every other field alone", arguments: StoreFixture.all)
    func others(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            let key = SessionKey.unique()
            let first = try await store.commit(
                key,
                .create(expires: clock.after(.seconds(60)), writes: ["a", "b", "c"].map { .set($0, Array($0.utf8)) }))
            let second = try await store.commit(key, .update(writes: [.set("b", [9]), .delete("c"), .delete("d")]))
            let snapshot = try await store.read(key, .all)
            #expect(snapshot["a"] == StoredField(value: Array("a".utf8), revision: try #require(first["a"])))
            #expect(snapshot["b"] == StoredField(value: [9], revision: try #require(second["b"])))
            #expect(snapshot.entries.count == 2 && second.count == 1)
        }
    }

    @Test("lets the last of two writes of one field decide", arguments: StoreFixture.all)
    func twoWrites(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            let key = SessionKey.unique()
            let writes: [FieldWrite] = [
                .set("a", [1], expected: .absent), .set("b", [1]), .set("a", [2], expected: .absent), .delete("b"),
                .delete("c"), .set("c", [3]),
            ]
            let revisions = try await store.commit(
                key, .create(expires: clock.after(.seconds(60)), writes: writes))
            let snapshot = try await store.read(key, .all)
            #expect(snapshot.fields.mapValues(\.value) == ["a": [2], "c": [3]])
            #expect(snapshot.fields.mapValues(\.revision) == revisions)
        }
    }

    @Test("takes values of half a megabyte and hundreds of fields", arguments: StoreFixture.all)
    func large(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            let key = SessionKey.unique()
            let big = (0..<500_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let writes = (0..<400).map {
                FieldWrite.set("field-\($0)", [UInt8](repeating: UInt8($0 & 0xFF), count: $0))
            }
            try await store.commit(
                key, .create(expires: clock.after(.seconds(60)), writes: writes + [.set("big", big)]))
            let snapshot = try await store.read(key, .all)
            #expect(snapshot.entries.count == 401)
            #expect(snapshot["big"]?.value == big)
            let fields = snapshot.fields
            for index in 0..<400 { #expect(fields["field-\(index)"]?.value.count == index) }
        }
    }

    @Test("refuses a session that grows too large, and lets it shrink", arguments: StoreFixture.all)
    func tooLarge(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            let key = SessionKey.unique()
            let end = clock.after(.seconds(60))
            let half = [UInt8](repeating: 1, count: 600_000)
            let whole = SessionCommit.create(expires: end, writes: [.set("a", half), .set("b", half)])
            #expect(await refusal { () throws(StoreError) in try await store.commit(key, whole) } == .full)
            #expect(try await store.read(key, .all) == .absent)

            try await store.commit(key, .create(expires: end, writes: [.set("a", half)]))
            let more = SessionCommit.update(
                expires: clock.after(.seconds(90)), writes: [.set("c", [1]), .set("b", half)])
            #expect(await refusal { () throws(StoreError) in try await store.commit(key, more) } == .full)
            let snapshot = try await store.read(key, .all)
            #expect(snapshot.entries.map(\.name) == ["a"] && snapshot.expires == end)
            try await store.commit(key, .update(writes: [.delete("a"), .set("b", half)]))
        }
    }
}
