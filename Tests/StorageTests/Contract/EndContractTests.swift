import Basics
import StorageKit
import TestSupport
import Testing

@Suite("Every store, of ended sessions,")
struct EndContractTests {
    @Test("forgets everything, and ends none a second time or that it never saw", arguments: StoreFixture.all)
    func end(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            let (key, unknown) = (SessionKey.unique(), SessionKey.unique())
            let create = SessionCommit.create(expires: clock.after(.seconds(60)), writes: [.set("a", [1])])
            try await store.commit(key, create)
            #expect(try await store.commit(key, .end()) == [:])
            for gone in [key, unknown] {
                #expect(try await store.read(gone, .all) == .absent)
                #expect(await refusal { () throws(StoreError) in try await store.commit(gone, .end()) } == .gone)
            }
            try await store.commit(unknown, create)
            clock.advance(by: .seconds(60))
            #expect(await refusal { () throws(StoreError) in try await store.commit(unknown, .end()) } == .gone)
        }
    }

    @Test("ends one only if all that was expected of its fields holds", arguments: StoreFixture.all)
    func expectations(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            let key = SessionKey.unique()
            let end = clock.after(.seconds(60))
            let first = try await store.commit(key, .create(expires: end, writes: [.set("a", [1]), .set("b", [1])]))
            let (a, b) = (try #require(first["a"]), try #require(first["b"]))
            try await store.commit(key, .update(writes: [.set("b", [2])]))
            let before = try await store.read(key, .all)
            let late: [[FieldWrite]] = [
                [.delete("b", expected: .revision(b))],
                [.delete("a", expected: .revision(a)), .delete("b", expected: .absent)],
                [.set("b", [3], expected: .revision(b))], [.set("c", [3], expected: .revision(1))],
            ]
            for writes in late {
                let outcome = await refusal { () throws(StoreError) in
                    try await store.commit(key, .end(writes: writes))
                }
                #expect(outcome == .conflict(field: writes.last?.field ?? ""))
                #expect(try await store.read(key, .all) == before)
            }
            let held: [FieldWrite] = [
                .set("a", [9], expected: .revision(a)), .delete("c", expected: .absent), .delete("b"),
            ]
            #expect(try await store.commit(key, .end(writes: held)) == [:])
            #expect(try await store.read(key, .all) == .absent)
        }
    }

    @Test("lets no late update or create revive one", arguments: StoreFixture.all)
    func late(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            let key = SessionKey.unique()
            let end = clock.after(.seconds(3600))
            try await store.commit(key, .create(expires: end, writes: [.set("a", [1])]))
            try await store.commit(key, .end())
            for commit in [
                SessionCommit.end(), .update(writes: [.set("a", [2])]), .update(expires: end), .update(),
                .create(expires: end, writes: [.set("a", [2])]), .create(expires: end),
            ] {
                #expect(await refusal { () throws(StoreError) in try await store.commit(key, commit) } == .gone)
            }
            #expect(try await store.read(key, .all) == .absent)
        }
    }

    @Test("remembers the end for ten minutes", arguments: StoreFixture.all)
    func tombstone(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            let key = SessionKey.unique()
            let create = SessionCommit.create(expires: clock.after(.seconds(3600)))
            try await store.commit(key, create)
            try await store.commit(key, .end())
            clock.advance(by: .milliseconds(599_999))
            #expect(await refusal { () throws(StoreError) in try await store.commit(key, create) } == .gone)
            clock.advance(by: .milliseconds(1))
            try await store.commit(key, create)
        }
    }

    @Test("wins against every update that races with the end", arguments: StoreFixture.all)
    func race(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            let key = SessionKey.unique()
            let end = clock.after(.seconds(60))
            try await store.commit(key, .create(expires: end, writes: [.set("a", [1])]))
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        let outcome = await refusal { () throws(StoreError) in
                            switch number {
                            case 50: try await store.commit(key, .end())
                            case let odd where odd % 2 == 1:
                                try await store.commit(key, .create(expires: end, writes: [.set("a", [3])]))
                            default: try await store.commit(key, .update(expires: end, writes: [.set("a", [2])]))
                            }
                        }
                        // Before the end and after it.
                        let possible: [StoreError?] =
                            switch number {
                            case 50: [nil]
                            case let odd where odd % 2 == 1: [.conflict(field: ""), .gone]
                            default: [nil, .gone]
                            }
                        #expect(possible.contains(outcome))
                    }
                }
            }
            #expect(try await store.read(key, .all) == .absent)
        }
    }

    @Test("refuses every operation once it is closed", arguments: StoreFixture.all)
    func closed(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            let key = SessionKey.unique()
            let end = clock.after(.seconds(60))
            try await store.ping()
            let lease = try #require(try await store.claim("l", for: .seconds(60)))
            try await store.commit(key, .create(expires: end))
            await store.close()
            await store.close()
            var refusals = [StoreError?]()
            refusals.append(await refusal { () throws(StoreError) in try await store.read(key, .all) })
            refusals.append(await refusal { () throws(StoreError) in try await store.commit(key, .update()) })
            refusals.append(await refusal { () throws(StoreError) in try await store.commit(key, .end()) })
            refusals.append(await refusal { () throws(StoreError) in try await store.put("k", [1], expires: end) })
            refusals.append(await refusal { () throws(StoreError) in try await store.take("k") })
            refusals.append(await refusal { () throws(StoreError) in try await store.claim("m", for: .seconds(1)) })
            refusals.append(await refusal { () throws(StoreError) in try await store.renew(lease, for: .seconds(1)) })
            refusals.append(await refusal { () throws(StoreError) in try await store.release(lease) })
            refusals.append(await refusal { () throws(StoreError) in try await store.ping() })
            #expect(refusals == [StoreError?](repeating: .unavailable, count: 9))
        }
    }
}
