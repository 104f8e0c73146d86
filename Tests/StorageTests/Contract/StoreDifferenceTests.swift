import Basics
import StorageKit
import TestSupport
import Testing

@Suite("All stores")
struct StoreDifferenceTests {
    /// Numbers that look random and are the same in every run (SplitMix64).
    private struct Numbers: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            return mixed ^ mixed >> 31
        }
    }

    @Test("answer five hundred operations drawn at random alike", arguments: 0..<6)
    func alike(seed: Int) async throws {
        let clock = ManualTime()
        let directories = try StoreFixture.withIndex.map { _ in try TemporaryDirectory() }
        let stores = try zip(StoreFixture.withIndex, directories).map {
            try #require(try $0.open($1, clock) as? any ByteStore & SessionIndex)
        }
        var numbers = Numbers(state: UInt64(seed) &* 7919 &+ 1)
        let keys = (0..<4).map { SessionKey(tag: [UInt8($0)]) }
        var revisions: [UInt64] = [1]
        // The numbers of leases are the store's own.
        var leases = stores.map { _ in [Lease]() }
        for step in 0..<500 {
            let operation = draw(&numbers, keys, clock, revisions, leases: leases[0].count)
            var answers = [Answer]()
            for (place, store) in stores.enumerated() {
                let (answer, lease) = await operation.perform(store, leases[place])
                answers.append(answer)
                if let lease {
                    if case .claim = operation, let last = leases[place].map(\.fence).max() {
                        #expect(lease.fence > last)
                    }
                    leases[place].append(lease)
                }
            }
            for answer in answers { #expect(answer == answers[0], "step \(step): \(operation)") }
            if case .revisions(let new) = answers[0] { revisions += new.values }
            if Int.random(in: 0..<8, using: &numbers) == 0 {
                clock.advance(by: .seconds(Int.random(in: 1..<400, using: &numbers)))
            }
        }
        for store in stores { await store.close() }
        for directory in directories { directory.remove() }
    }

    private enum Operation {
        case read(SessionKey, FieldSelection)
        case commit(SessionKey, SessionCommit)
        case put(String, [UInt8], Timestamp)
        case take(String)
        case claim(String)
        /// One of the leases so far, by its place.
        case renew(Int)
        case release(Int)
        case add([UInt8], SessionKey, Timestamp)
        case remove([UInt8], SessionKey)
        case list([UInt8])

        func perform(_ store: any ByteStore & SessionIndex, _ leases: [Lease]) async -> (Answer, Lease?) {
            do {
                let lease: Lease?
                switch self {
                case .claim(let name): lease = try await store.claim(name, for: .seconds(100))
                case .renew(let place): lease = try await store.renew(leases[place], for: .seconds(100))
                case .release(let place):
                    try await store.release(leases[place])
                    return (.done, nil)
                default: return (await answer(store), nil)
                }
                return (.lease(lease?.name, lease?.expires), lease)
            } catch {
                return (.refused(error), nil)
            }
        }

        private func answer(_ store: any ByteStore & SessionIndex) async -> Answer {
            do {
                switch self {
                case .read(let key, let fields):
                    let snapshot = try await store.read(key, fields)
                    return .snapshot(snapshot.exists, snapshot.fields, snapshot.expires)
                case .commit(let key, let commit): return .revisions(try await store.commit(key, commit))
                case .put(let key, let value, let end): try await store.put(key, value, expires: end)
                case .take(let key): return .value(try await store.take(key))
                case .claim, .renew, .release: preconditionFailure("an operation with a lease")
                case .add(let key, let session, let end): try await store.addToIndex(key, session, expires: end)
                case .remove(let key, let session): try await store.removeFromIndex(key, session)
                case .list(let key): return .sessions(try await store.listIndex(key))
                }
                return .done
            } catch {
                return .refused(error)
            }
        }
    }

    private enum Answer: Equatable {
        case snapshot(Bool, [String: StoredField], Timestamp?)
        case revisions([String: UInt64])
        case value([UInt8]?)
        case lease(String?, Timestamp?)
        case sessions([SessionKey])
        case refused(StoreError)
        case done
    }

    private func draw(
        _ numbers: inout Numbers, _ keys: [SessionKey], _ clock: ManualTime, _ revisions: [UInt64], leases: Int
    ) -> Operation {
        let key = keys[Int.random(in: 0..<keys.count, using: &numbers)]
        let end = clock.after(.seconds(Int.random(in: -10..<1_000, using: &numbers)))
        let name = ["x", "y"][Int.random(in: 0..<2, using: &numbers)]
        switch Int.random(in: 0..<20, using: &numbers) {
        case 0..<4: return .read(key, Bool.random(using: &numbers) ? .all : .names(["a", "c", "a", "q"]))
        case 4..<12:
            let writes = (0..<Int.random(in: 0..<5, using: &numbers)).map { _ in write(&numbers, clock, revisions) }
            if Int.random(in: 0..<4, using: &numbers) == 0 {
                return .commit(key, .create(expires: end, writes: writes))
            }
            if Int.random(in: 0..<16, using: &numbers) == 0 { return .commit(key, .end(writes: writes)) }
            return .commit(key, .update(expires: Bool.random(using: &numbers) ? end : nil, writes: writes))
        case 12: return Int.random(in: 0..<4, using: &numbers) == 0 ? .commit(key, .end()) : .read(key, .all)
        case 13: return .put(name, [UInt8(truncatingIfNeeded: numbers.next())], end)
        case 14: return .take(name)
        case 15: return .claim(name)
        case 16:
            guard leases > 0 else { return .claim(name) }
            let lease = Int.random(in: 0..<leases, using: &numbers)
            return Bool.random(using: &numbers) ? .renew(lease) : .release(lease)
        case 17: return .add(Array(name.utf8), key, end)
        case 18: return .remove(Array(name.utf8), key)
        default: return .list(Array(name.utf8))
        }
    }

    private func write(_ numbers: inout Numbers, _ clock: ManualTime, _ revisions: [UInt64]) -> FieldWrite {
        let field = ["a", "b", "c", "d"][Int.random(in: 0..<4, using: &numbers)]
        let expected: StorageKit.Expectation =
            switch Int.random(in: 0..<8, using: &numbers) {
            case 0: .absent
            case 1:
                .revision(revisions[revisions.count - 1 - Int.random(in: 0..<min(revisions.count, 4), using: &numbers)])
            default: .any
            }
        guard Int.random(in: 0..<4, using: &numbers) > 0 else { return .delete(field, expected: expected) }
        let value = [UInt8](
            repeating: UInt8(truncatingIfNeeded: numbers.next()), count: Int.random(in: 0..<9, using: &numbers))
        let ends = Int.random(in: 0..<3, using: &numbers) == 0
        let expires = ends ? clock.after(.seconds(Int.random(in: -5..<500, using: &numbers))) : nil
        return .set(field, value, expires: expires, expected: expected)
    }
}
