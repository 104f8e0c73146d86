import Basics
import StorageKit
import TestSupport
import Testing

@Suite("The memory store")
struct MemoryStoreTests {
    private func store(_ clock: ManualTime, _ change: (inout MemoryStoreLimits) -> Void) -> MemoryStore {
        var limits = MemoryStoreLimits()
        change(&limits)
        return MemoryStore(time: clock, limits: limits)
    }

    @Test func `answers without suspending, so that a request is answered at once`() async throws {
        let clock = ManualTime()
        let store = MemoryStore(time: clock)
        let key = SessionKey.unique()
        let finished = Locked(false)
        let task = Task.immediateDetached {
            try await store.commit(key, .create(expires: clock.after(.seconds(60)), writes: [.set("a", [1])]))
            let existential: any ByteStore = store
            let snapshot = try await existential.read(key, .names(["a"]))
            try await existential.put("k", [1], expires: clock.after(.seconds(60)))
            _ = try await existential.take("k")
            finished.withLock { $0 = snapshot.exists }
        }
        // Had any of it suspended, the rest would run on another thread, now or later.
        #expect(finished.withLock { $0 })
        try await task.value
    }

    @Test func `refuses one session too many until one has expired or ended`() async throws {
        let clock = ManualTime()
        let store = store(clock) { $0.sessions = 100 }
        let keys = (0..<100).map { _ in SessionKey.unique() }
        for (number, key) in keys.enumerated() {
            try await store.commit(key, .create(expires: clock.after(.seconds(number < 2 ? 10 : 60))))
        }
        let another = SessionCommit.create(expires: clock.after(.seconds(60)))
        func outcome() async -> StoreError? {
            await refusal { () throws(StoreError) in try await store.commit(.unique(), another) }
        }
        #expect(await outcome() == .full)
        try await store.commit(keys[0], .update(writes: [.set("a", [1])]))
        try await store.commit(keys[50], .end())
        #expect(await outcome() == nil)
        #expect(await outcome() == .full)
        clock.advance(by: .seconds(10))
        #expect(await outcome() == nil, "what has expired is in other shards")
        #expect(await outcome() == nil)
        #expect(await outcome() == .full)
        #expect(store.sessionCount == 100)
    }

    @Test func `refuses bytes beyond its bound and writes nothing of such a commit`() async throws {
        let clock = ManualTime()
        let store = store(clock) { $0.bytes = 10_000 }
        let (one, two) = (SessionKey.unique(), SessionKey.unique())
        let end = clock.after(.seconds(60))
        let large = [UInt8](repeating: 1, count: 6_000)
        try await store.commit(one, .create(expires: end, writes: [.set("a", large)]))
        let create = SessionCommit.create(expires: end, writes: [.set("a", large)])
        #expect(await refusal { () throws(StoreError) in try await store.commit(two, create) } == .full)
        #expect(await refusal { () throws(StoreError) in try await store.put("k", large, expires: end) } == .full)
        #expect(store.sessionCount == 1)
        let grow = SessionCommit.update(writes: [.set("b", large), .set("a", [])])
        try await store.commit(one, .update(writes: [.set("b", [1])]))
        #expect(try await store.read(two, .all) == .absent)
        try await store.commit(one, grow)
        #expect(await refusal { () throws(StoreError) in try await store.commit(two, create) } == .full)
        try await store.commit(one, .update(writes: [.delete("b")]))
        try await store.commit(two, create)
    }

    @Test func `counts back to nothing when everything has ended`() async throws {
        let clock = ManualTime()
        let store = MemoryStore(time: clock)
        let keys = (0..<300).map { _ in SessionKey.unique() }
        for (number, key) in keys.enumerated() {
            let end = clock.after(.seconds(number % 3 == 0 ? 10 : 3600))
            try await store.commit(
                key, .create(expires: end, writes: [.set("a", [UInt8](repeating: 0, count: number))]))
            try await store.put("k\(number)", [1, 2, 3], expires: end)
        }
        clock.advance(by: .seconds(10))
        for (number, key) in keys.enumerated() {
            let shrink = SessionCommit.update(writes: [.set("a", [1]), .set("b", [1])])
            let outcome = await refusal { () throws(StoreError) in try await store.commit(key, shrink) }
            #expect(outcome == (number % 3 == 0 ? .gone : nil))
        }
        for (number, key) in keys.enumerated() {
            if number % 3 != 0 { try await store.commit(key, .end()) }
            _ = try await store.take("k\(number)")
        }
        #expect(store.sessionCount == 0 && store.byteCount == 0)
    }

    @Test func `lets go of expired sessions little by little while others are used`() async throws {
        let clock = ManualTime()
        let store = MemoryStore(time: clock)
        for _ in 0..<2_000 {
            try await store.commit(.unique(), .create(expires: clock.after(.seconds(10)), writes: [.set("a", [1])]))
        }
        clock.advance(by: .seconds(10))
        let before = store.sessionCount
        _ = try await store.read(.unique(), .all)
        #expect(before - store.sessionCount <= 1, "one read looks at one expired entry")
        try await store.commit(.unique(), .create(expires: clock.after(.seconds(60))))
        #expect(before - store.sessionCount <= 4)
        for _ in 0..<1_200 {
            try await store.commit(.unique(), .create(expires: clock.after(.seconds(60))))
        }
        #expect(store.sessionCount < 1_300, "each new session makes room for more than itself")
    }

    @Test func `lets go of fields that have expired though nobody writes the session`() async throws {
        let clock = ManualTime()
        let store = MemoryStore(time: clock)
        let keys = (0..<300).map { _ in SessionKey.unique() }
        for key in keys {
            let writes: [FieldWrite] = [
                .set("kept", [1]), .set("flow", [UInt8](repeating: 7, count: 5000), expires: clock.after(.seconds(60))),
                .set("ticket", [UInt8](repeating: 7, count: 500), expires: clock.after(.seconds(30))),
            ]
            try await store.commit(key, .create(expires: clock.after(.seconds(1800)), writes: writes))
        }
        let full = store.byteCount
        clock.advance(by: .seconds(30))
        for _ in 0..<20 { for key in keys { _ = try await store.read(key, .names(["kept"])) } }
        #expect(store.byteCount < full - 300 * 500 && store.byteCount > 300 * 5000)
        clock.advance(by: .seconds(30))
        for _ in 0..<20 { for key in keys { _ = try await store.read(key, .names(["kept"])) } }
        #expect(store.byteCount < 300 * 400)
        for key in keys {
            #expect(try await store.read(key, .all).entries.map(\.field.value) == [[1]])
            try await store.commit(key, .update(writes: [.set("kept", [2])]))
            try await store.commit(key, .end())
        }
        #expect(store.byteCount == 0 && store.sessionCount == 0)
    }

    @Test func `keeps a session that is extended again and again`() async throws {
        let clock = ManualTime()
        let store = MemoryStore(time: clock)
        let keys = (0..<200).map { _ in SessionKey.unique() }
        for key in keys { try await store.commit(key, .create(expires: clock.after(.seconds(30)))) }
        for _ in 0..<50 {
            clock.advance(by: .seconds(20))
            for key in keys { try await store.commit(key, .update(expires: clock.after(.seconds(30)))) }
        }
        for key in keys { #expect(try await store.read(key, .all).exists) }
        clock.advance(by: .seconds(30))
        for key in keys { #expect(try await store.read(key, .all) == .absent) }
        #expect(store.sessionCount == 0)
    }

    @Test func `forgets the oldest marks of ended sessions when there are too many`() async throws {
        let clock = ManualTime()
        let store = store(clock) { $0.tombstones = 640 }
        let create = SessionCommit.create(expires: clock.after(.seconds(60)))
        func end(_ key: SessionKey) async throws {
            try await store.commit(key, create)
            try await store.commit(key, .end())
        }
        let first = SessionKey.unique()
        try await end(first)
        clock.advance(by: .seconds(1))
        for _ in 0..<6_400 { try await end(.unique()) }
        try await store.commit(first, create)
        let last = SessionKey.unique()
        try await end(last)
        #expect(await refusal { () throws(StoreError) in try await store.commit(last, create) } == .gone)
    }

    @Test func `bounds values, leases and index entries until some have expired`() async throws {
        let clock = ManualTime()
        let store = store(clock) {
            $0.values = 10
            $0.leases = 10
            $0.indexEntries = 10
            $0.indexEntriesPerKey = 6
        }
        let end = clock.after(.seconds(60))
        for number in 0..<10 {
            try await store.put("\(number)", [1], expires: end)
            _ = try await store.claim("\(number)", for: .seconds(60))
            try await store.addToIndex([UInt8(number / 6)], .unique(), expires: end)
        }
        func outcomes() async -> [StoreError?] {
            [
                await refusal { () throws(StoreError) in
                    try await store.put("x", [1], expires: clock.after(.seconds(60)))
                },
                await refusal { () throws(StoreError) in try await store.claim("x", for: .seconds(60)) },
                await refusal { () throws(StoreError) in
                    try await store.addToIndex([9], .unique(), expires: clock.after(.seconds(60)))
                },
            ]
        }
        #expect(await outcomes() == [.full, .full, .full])
        try await store.put("3", [2], expires: end)
        clock.advance(by: .seconds(60))
        #expect(await outcomes() == [nil, nil, nil])
        let crowded = (0..<6).map { _ in SessionKey.unique() }
        for session in crowded { try await store.addToIndex([7], session, expires: clock.after(.seconds(60))) }
        #expect(
            await refusal { () throws(StoreError) in
                try await store.addToIndex([7], .unique(), expires: clock.after(.seconds(60)))
            } == .full)
        #expect(try await store.listIndex([7]) == crowded)
        try await store.addToIndex([7], crowded[0], expires: clock.after(.seconds(90)))
    }

    @Test func `gives the room of removed, expired and refused index entries back`() async throws {
        let clock = ManualTime()
        let store = store(clock) {
            $0.indexEntries = 4
            $0.indexEntriesPerKey = 3
        }
        func add(_ key: UInt8, _ session: SessionKey = .unique(), for seconds: Int64 = 60) async -> StoreError? {
            await refusal { () throws(StoreError) in
                try await store.addToIndex([key], session, expires: clock.after(.seconds(seconds)))
            }
        }
        let sessions = (0..<3).map { _ in SessionKey.unique() }
        for session in sessions { #expect(await add(1, session) == nil) }
        #expect(await add(1) == .full)
        #expect(await add(2) == nil)
        // All four places are taken; neither a refusal nor a longer life takes or gives one.
        #expect(await add(3) == .full)
        #expect(await add(1, sessions[0], for: 90) == nil)
        #expect(try await store.listIndex([1]) == sessions)
        try await store.removeFromIndex([1], sessions[1])
        try await store.removeFromIndex([1], sessions[1])
        try await store.removeFromIndex([9], sessions[1])
        #expect(await add(3) == nil)
        #expect(await add(4) == .full)
        clock.advance(by: .seconds(60))
        #expect(try await store.listIndex([1]) == [sessions[0]])
        // What has expired under a key that lives is given back with the next change of that key.
        try await store.removeFromIndex([1], .unique())
        for _ in 0..<3 { #expect(await add(5) == nil) }
        #expect(await add(6) == .full)
        clock.advance(by: .seconds(60))
        #expect(try await store.listIndex([1]).isEmpty)
        for key in [7, 7, 7, 8] as [UInt8] { #expect(await add(key) == nil) }
        #expect(await add(8) == .full)
    }
}
