import Basics
import StorageKit
import TestSupport
import Testing

@Suite("Every store, under many tasks,")
struct ConcurrencyContractTests {
    @Test("lets exactly one win each revision", arguments: StoreFixture.all)
    func compareAndSwap(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            let key = SessionKey.unique()
            try await store.commit(key, .create(expires: clock.after(.seconds(60)), writes: [.set("n", [0])]))
            let revisions = try await withThrowingTaskGroup(of: UInt64.self) { group in
                for _ in 0..<100 { group.addTask { try await increment(store, key) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(revisions).count == 100)
            #expect(try await store.read(key, .all)["n"]?.value == [100])
        }
    }

    /// Adds one, starting over whenever somebody else was faster.
    private func increment(_ store: any ByteStore, _ key: SessionKey) async throws -> UInt64 {
        while true {
            let field = try #require(try await store.read(key, .names(["n"]))["n"])
            let next = FieldWrite.set("n", [field.value[0] + 1], expected: .revision(field.revision))
            do {
                return try #require(try await store.commit(key, .update(writes: [next]))["n"])
            } catch StoreError.conflict(field: "n") {
                continue
            }
        }
    }

    @Test("lets one of a hundred create a session", arguments: StoreFixture.all)
    func create(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            let key = SessionKey.unique()
            let end = clock.after(.seconds(60))
            let outcomes = await withTaskGroup(of: StoreError?.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        await refusal { () throws(StoreError) in
                            try await store.commit(key, .create(expires: end, writes: [.set("n", [UInt8(number)])]))
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.filter { $0 == nil }.count == 1)
            #expect(outcomes.filter { $0 == .conflict(field: "") }.count == 99)
        }
    }

    @Test("never shows half of a commit", arguments: StoreFixture.all)
    func noHalves(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            let key = SessionKey.unique()
            @Sendable func pair(_ number: UInt8) -> [FieldWrite] {
                ["a", "b", "c"].map { .set($0, [UInt8](repeating: number, count: 200)) }
            }
            try await store.commit(key, .create(expires: clock.after(.seconds(60)), writes: pair(0)))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1..<40 {
                    group.addTask { try await store.commit(key, .update(writes: pair(UInt8(number)))) }
                    group.addTask {
                        let fields = try await store.read(key, .names(["c", "a", "b"])).fields
                        #expect(fields.count == 3 && Set(fields.values.map(\.value)).count == 1)
                    }
                    group.addTask {
                        let fields = try await store.read(key, .all).fields
                        #expect(fields.count == 3 && Set(fields.values.map(\.value)).count == 1)
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("keeps sessions apart while all of them are written", arguments: StoreFixture.all)
    func many(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            let keys = (0..<200).map { _ in SessionKey.unique() }
            let end = clock.after(.seconds(60))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, key) in keys.enumerated() {
                    group.addTask {
                        let mine = Array("\(number)".utf8)
                        try await store.commit(key, .create(expires: end, writes: [.set("a", mine)]))
                        for _ in 0..<3 {
                            try await store.commit(key, .update(writes: [.set("b", mine)]))
                            #expect(
                                try await store.read(key, .all).fields.mapValues(\.value) == ["a": mine, "b": mine])
                        }
                        if number % 3 == 0 { try await store.commit(key, .end()) }
                    }
                }
                try await group.waitForAll()
            }
            for (number, key) in keys.enumerated() {
                #expect(try await store.read(key, .all).exists == (number % 3 != 0))
            }
        }
    }
}
