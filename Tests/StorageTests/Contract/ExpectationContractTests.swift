import Basics
import StorageKit
import TestSupport
import Testing

@Suite("Every store, of conditions,")
struct ExpectationContractTests {
    /// What the field `f` is before the commit.
    enum Before: CaseIterable { case missing, present, deleted, expired }

    /// What the commit expects.
    enum Wanted: CaseIterable { case any, absent, current, older, newer }

    /// The expectations that hold; all others are refused.
    static let holds: Set<[String]> = [
        ["missing", "any"], ["missing", "absent"], ["present", "any"], ["present", "current"], ["deleted", "any"],
        ["deleted", "absent"], ["expired", "any"], ["expired", "absent"],
    ]

    @Test("writes when they hold, and refuses when they do not", arguments: StoreFixture.all)
    func table(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            for before in Before.allCases {
                for wanted in Wanted.allCases {
                    for change in [FieldWrite.Change.set([7], expires: nil), .delete] {
                        try await check(store, clock, before, wanted, change)
                    }
                }
            }
        }
    }

    private func check(
        _ store: any ByteStore, _ clock: ManualTime, _ before: Before, _ wanted: Wanted, _ change: FieldWrite.Change
    ) async throws {
        let key = SessionKey.unique()
        try await store.commit(key, .create(expires: clock.after(.seconds(600))))
        var revision: UInt64 = 1
        if before != .missing {
            let expires = before == .expired ? clock.after(.seconds(1)) : nil
            let revisions = try await store.commit(key, .update(writes: [.set("f", [1], expires: expires)]))
            revision = try #require(revisions["f"])
        }
        if before == .deleted { try await store.commit(key, .update(writes: [.delete("f")])) }
        if before == .expired { clock.advance(by: .seconds(1)) }
        let expected: StorageKit.Expectation =
            switch wanted {
            case .any: .any
            case .absent: .absent
            case .current: .revision(revision)
            case .older: .revision(revision - 1)
            case .newer: .revision(revision + 1)
            }
        let write = FieldWrite(field: "f", change: change, expected: expected)
        let outcome = await refusal { () throws(StoreError) in
            try await store.commit(key, .update(writes: [write]))
        }
        let holds = Self.holds.contains(["\(before)", "\(wanted)"])
        #expect(outcome == (holds ? nil : .conflict(field: "f")), "\(before), \(wanted), \(change)")
        let after: [UInt8]? =
            switch (holds, change) {
            case (true, .set(let value, _)): value
            case (true, .delete): nil
            case (false, _): before == .present ? [1] : nil
            }
        #expect(try await store.read(key, .all)["f"]?.value == after, "\(before), \(wanted), \(change)")
    }

    @Test("writes nothing at all when one of them does not hold", arguments: StoreFixture.all)
    func allOrNothing(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            let key = SessionKey.unique()
            let end = clock.after(.seconds(60))
            try await store.commit(key, .create(expires: end, writes: [.set("a", [1]), .set("b", [1])]))
            let before = try await store.read(key, .all)
            let commit = SessionCommit.update(
                expires: clock.after(.seconds(900)),
                writes: [.set("a", [2]), .delete("b"), .set("c", [2]), .set("d", [2], expected: .revision(1))])
            #expect(
                await refusal { () throws(StoreError) in try await store.commit(key, commit) }
                    == .conflict(field: "d"))
            let after = try await store.read(key, .all)
            #expect(after.fields == before.fields && after.expires == end)

            let other = SessionKey.unique()
            let create = SessionCommit.create(
                expires: end, writes: [.set("a", [1]), .delete("b", expected: .revision(4))])
            #expect(
                await refusal { () throws(StoreError) in try await store.commit(other, create) }
                    == .conflict(field: "b"))
            #expect(try await store.read(other, .all) == .absent)
        }
    }

    @Test("compares all of them with the state before the commit", arguments: StoreFixture.all)
    func stateBefore(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            let key = SessionKey.unique()
            try await store.commit(key, .create(expires: clock.after(.seconds(60)), writes: [.set("a", [1])]))
            let commit = SessionCommit.update(writes: [.delete("a"), .set("a", [2], expected: .absent)])
            #expect(
                await refusal { () throws(StoreError) in try await store.commit(key, commit) }
                    == .conflict(field: "a"))
        }
    }
}
