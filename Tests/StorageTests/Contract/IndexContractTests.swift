import Basics
import StorageKit
import TestSupport
import Testing

@Suite("Every store with an index")
struct IndexContractTests {
    @Test("lists the sessions of a key in the order they came", arguments: StoreFixture.withIndex)
    func index(fixture: StoreFixture) async throws {
        try await fixture.run(as: (any SessionIndex).self) { _, index, clock in
            let sessions = (0..<5).map { _ in SessionKey.unique() }
            let end = clock.after(.seconds(60))
            #expect(try await index.listIndex([1]) == [])
            for session in sessions { try await index.addToIndex([1], session, expires: end) }
            try await index.addToIndex([1], sessions[0], expires: end)
            try await index.addToIndex([2], sessions[4], expires: end)
            #expect(try await index.listIndex([1]) == sessions)
            try await index.removeFromIndex([1], sessions[2])
            try await index.removeFromIndex([1], sessions[2])
            try await index.removeFromIndex([3], sessions[2])
            #expect(try await index.listIndex([1]) == [0, 1, 3, 4].map { sessions[$0] })
            #expect(try await index.listIndex([2]) == [sessions[4]])
        }
    }

    @Test("ends an index entry at its instant, and lets a later one replace it", arguments: StoreFixture.withIndex)
    func indexExpiry(fixture: StoreFixture) async throws {
        try await fixture.run(as: (any SessionIndex).self) { _, index, clock in
            let (one, two) = (SessionKey.unique(), SessionKey.unique())
            try await index.addToIndex([1], one, expires: clock.after(.seconds(10)))
            try await index.addToIndex([1], two, expires: clock.after(.seconds(20)))
            clock.advance(by: .milliseconds(9_999))
            #expect(try await index.listIndex([1]) == [one, two])
            clock.advance(by: .milliseconds(1))
            #expect(try await index.listIndex([1]) == [two])
            try await index.addToIndex([1], two, expires: clock.after(.seconds(60)))
            clock.advance(by: .seconds(59))
            #expect(try await index.listIndex([1]) == [two])
            clock.advance(by: .seconds(1))
            #expect(try await index.listIndex([1]) == [])
        }
    }

    @Test("adds a session under several keys and reads their marks", arguments: StoreFixture.withIndex)
    func entry(fixture: StoreFixture) async throws {
        try await fixture.run(as: (any SessionIndex).self) { store, index, clock in
            let session = SessionKey.unique()
            let marks = (0..<5).map { _ in SessionKey.unique() }
            let end = clock.after(.seconds(60))
            try await store.commit(marks[1], .create(expires: end, writes: [.set("until", [7]), .set("other", [8])]))
            try await store.commit(
                marks[2], .create(expires: end, writes: [.set("until", [9], expires: clock.after(.seconds(1)))]))
            try await store.commit(marks[3], .create(expires: end, writes: [.set("until", [9])]))
            try await store.commit(marks[3], .end())
            try await store.commit(marks[4], .create(expires: clock.after(.seconds(2)), writes: [.set("until", [9])]))
            clock.advance(by: .seconds(1))
            let keys: [[UInt8]] = [[11], [12], [13]]
            let entry = IndexEntry(session, keys: keys, expires: end, marks: marks, field: "until")
            let read = try await index.addToIndex(entry)
            #expect(read.map { $0["until"]?.value } == [nil, [7], nil, nil, [9]])
            #expect(read.map(\.exists) == [false, true, true, false, true])
            #expect(read[1].entries.map(\.name) == ["until"])
            let stored = try await store.read(marks[1], .names(["until"]))
            #expect(read[1]["until"] == stored["until"] && read[1].expires == end)
            clock.advance(by: .seconds(1))
            #expect(try await index.addToIndex(entry).map(\.exists) == [false, true, true, false, false])
            for key in keys { #expect(try await index.listIndex(key) == [session]) }
            clock.advance(by: .seconds(58))
            for key in keys { #expect(try await index.listIndex(key) == []) }
        }
    }

    @Test("refuses to look once it is closed", arguments: StoreFixture.withIndex)
    func closed(fixture: StoreFixture) async throws {
        try await fixture.run(as: (any SessionIndex).self) { store, index, clock in
            let (key, end) = (SessionKey.unique(), clock.after(.seconds(60)))
            await store.close()
            let refusals = [
                await refusal { () throws(StoreError) in try await index.addToIndex([1], key, expires: end) },
                await refusal { () throws(StoreError) in try await index.removeFromIndex([1], key) },
                await refusal { () throws(StoreError) in try await index.listIndex([1]) },
                await refusal { () throws(StoreError) in
                    let entry = IndexEntry(key, keys: [[1]], expires: end, marks: [key], field: "until")
                    return try await index.addToIndex(entry)
                },
            ]
            #expect(refusals == [StoreError?](repeating: .unavailable, count: 4))
        }
    }
}
