import Basics
import StorageKit
import TestSupport
import Testing

@Suite("Every store, of values and leases,")
struct ValueContractTests {
    @Test("gives a value once", arguments: StoreFixture.all)
    func once(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            #expect(try await store.take("k") == nil)
            try await store.put("k", [1, 2], expires: clock.after(.seconds(60)))
            try await store.put("empty", [], expires: clock.after(.seconds(60)))
            #expect(try await store.take("other") == nil)
            #expect(try await store.take("k") == [1, 2])
            #expect(try await store.take("k") == nil)
            #expect(try await store.take("empty") == [])
        }
    }

    @Test("gives a value to one of a hundred takers", arguments: StoreFixture.all)
    func race(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            try await store.put("k", [1], expires: clock.after(.seconds(60)))
            let taken = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<100 { group.addTask { try await store.take("k") != nil } }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(taken == 1)
        }
    }

    @Test("replaces a value, end included, and gives none at its end", arguments: StoreFixture.all)
    func replace(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            try await store.put("k", [1], expires: clock.after(.seconds(900)))
            try await store.put("k", [2], expires: clock.after(.seconds(60)))
            try await store.put("l", [3], expires: clock.after(.seconds(60)))
            clock.advance(by: .milliseconds(59_999))
            #expect(try await store.take("l") == [3])
            clock.advance(by: .milliseconds(1))
            #expect(try await store.take("k") == nil)
        }
    }

    @Test("refuses a value that is too large", arguments: StoreFixture.all)
    func large(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            let end = clock.after(.seconds(60))
            try await store.put("k", [UInt8](repeating: 1, count: 256 << 10), expires: end)
            let larger = [UInt8](repeating: 1, count: 256 << 10 + 1)
            #expect(await refusal { () throws(StoreError) in try await store.put("k", larger, expires: end) } == .full)
            #expect(try await store.take("k")?.count == 256 << 10)
        }
    }

    @Test("lets one hold a name until the lease ends", arguments: StoreFixture.all)
    func lease(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            let first = try #require(try await store.claim("n", for: .seconds(10)))
            #expect(first.name == "n" && first.expires == clock.after(.seconds(10)))
            #expect(try await store.claim("n", for: .seconds(10)) == nil)
            let other = try #require(try await store.claim("m", for: .seconds(10)))
            clock.advance(by: .milliseconds(9_999))
            #expect(try await store.claim("n", for: .seconds(10)) == nil)
            clock.advance(by: .milliseconds(1))
            let second = try #require(try await store.claim("n", for: .seconds(10)))
            #expect(first.fence < other.fence && other.fence < second.fence)
        }
    }

    @Test("renews a lease from now, but none that was lost", arguments: StoreFixture.all)
    func renew(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            let first = try #require(try await store.claim("n", for: .seconds(10)))
            clock.advance(by: .seconds(9))
            let renewed = try #require(try await store.renew(first, for: .seconds(10)))
            #expect(renewed.fence == first.fence && renewed.expires == clock.after(.seconds(10)))
            clock.advance(by: .milliseconds(9_999))
            #expect(try await store.claim("n", for: .seconds(10)) == nil)
            clock.advance(by: .milliseconds(1))
            #expect(try await store.renew(renewed, for: .seconds(10)) == nil, "expired, though nobody claimed it")
            let second = try #require(try await store.claim("n", for: .seconds(10)))
            #expect(try await store.renew(renewed, for: .seconds(10)) == nil, "held by another")
            try await store.release(second)
            #expect(try await store.renew(second, for: .seconds(10)) == nil, "released")
        }
    }

    @Test("lets a late holder release nothing", arguments: StoreFixture.all)
    func lateRelease(fixture: StoreFixture) async throws {
        try await fixture.run { store, clock in
            let first = try #require(try await store.claim("n", for: .seconds(10)))
            clock.advance(by: .seconds(10))
            let second = try #require(try await store.claim("n", for: .seconds(10)))
            try await store.release(first)
            #expect(try await store.claim("n", for: .seconds(10)) == nil)
            try await store.release(second)
            try await store.release(second)
            let third = try #require(try await store.claim("n", for: .seconds(10)))
            #expect(third.fence > second.fence)
        }
    }

    @Test("gives a lease to one of a hundred", arguments: StoreFixture.all)
    func leaseRace(fixture: StoreFixture) async throws {
        try await fixture.run { store, _ in
            let leases = try await withThrowingTaskGroup(of: Lease?.self) { group in
                for _ in 0..<100 { group.addTask { try await store.claim("n", for: .seconds(10)) } }
                return try await group.reduce(into: []) { $0 += [$1].compactMap { $0 } }
            }
            #expect(leases.count == 1)
        }
    }
}
