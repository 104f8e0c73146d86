import Basics
import Cryptography
import Logs
import StorageKit
import StorageSQLite
import TestSupport
import Testing

@testable import Sessions

/// A store with a clock that stands still, and queues in it.
struct QueueBench: Sendable {
    /// The store of a test.
    enum Kind: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case memory
        case file

        var testDescription: String { rawValue }
    }

    let time = ManualTime()
    let log = RecordedLog()
    let store: any ByteStore
    let key: ServerKey
    private let folder: TemporaryFolder?

    init(_ kind: Kind) throws {
        switch kind {
        case .memory:
            folder = nil
            store = MemoryStore(time: time)
        case .file:
            let folder = try TemporaryFolder()
            self.folder = folder
            store = try SQLiteStore(path: folder.file("store"), time: time, logger: log.logger())
        }
        key = try ServerKey(id: "k1", key: SecureRandom.bytes(32))
    }

    /// A queue with these keys; without any, with the key of the bench.
    func queue(in other: (any ByteStore)? = nil, keys: [ServerKey]? = nil) throws -> RevocationQueue {
        RevocationQueue(
            store: other ?? store, keys: try ServerKeys(keys ?? [key]), time: time, keep: .seconds(60),
            logger: log.logger())
    }
}

extension RevocationQueue {
    /// Puts items into the queue as they are.
    @discardableResult
    fileprivate func add(_ items: [Revocable]) async throws(StoreError) -> [Job] {
        try await add(items.map { Entry(item: $0, least: $0, end: nil) }, unless: nil)
    }
}

@Suite("The queue of revocations")
struct RevocationQueueTests {
    @Test("is written down, found and forgotten", arguments: QueueBench.Kind.allCases)
    func kept(kind: QueueBench.Kind) async throws {
        let bench = try QueueBench(kind)
        let queue = try bench.queue()
        let items: [Revocable] = [.tokens([1, 2], "a"), .session([3], "b")]
        let jobs = try await queue.add(items)
        try await queue.add([] as [Revocable])
        #expect(try await Set(queue.waiting().map(\.item.client)) == ["a", "b"])
        await queue.done([jobs[0]])
        await queue.done([jobs[0]])
        #expect(try await queue.waiting().map(\.item) == [.session([3], "b")])
        bench.time.advance(by: .seconds(60))
        #expect(try await queue.waiting().isEmpty)
    }

    @Test("is written by many at once", arguments: QueueBench.Kind.allCases)
    func many(kind: QueueBench.Kind) async throws {
        let bench = try QueueBench(kind)
        let queue = try bench.queue()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask { try await queue.add([.tokens(Array("\(number)".utf8), "a")]) }
            }
            try await group.waitForAll()
        }
        #expect(try await queue.waiting().count == 200)
    }

    @Test("goes elsewhere when a place is full, and is tried once when all are")
    func full() async throws {
        let bench = try QueueBench(.memory)
        var limits = MemoryStoreLimits()
        limits.sessionBytes = 4096
        let queue = try bench.queue(in: MemoryStore(time: bench.time, limits: limits))
        var count = 0
        do throws(StoreError) {
            while count < 1000 {
                try await queue.add([.tokens([UInt8](repeating: 7, count: 1024), "a")])
                count += 1
            }
        } catch {
            #expect(error == .full)
        }
        #expect(count > 40 && count < 1000)
        #expect(try await queue.waiting().count == count)
    }

    @Test(
        "opens with an older key, and is left alone by a process that lacks the newest",
        arguments: QueueBench.Kind.allCases)
    func keys(kind: QueueBench.Kind) async throws {
        let bench = try QueueBench(kind)
        let newest = try ServerKey(id: "k2", key: (0..<32).map { UInt8($0 * 7) })
        let both = try bench.queue(keys: [newest, bench.key])
        let old = try bench.queue()
        try await old.add([.session([1], "a")])
        #expect(try await both.waiting().count == 1)
        try await both.add([.session([2], "a")])
        #expect(try await old.waiting().map(\.item) == [.session([1], "a")])
        #expect(try await both.waiting().count == 2)
        #expect(!bench.log.lines.contains { $0.contains("does not open") })
    }

    @Test("that was tampered with or moved is dropped with an alarm", arguments: QueueBench.Kind.allCases)
    func tampered(kind: QueueBench.Kind) async throws {
        let bench = try QueueBench(kind)
        let queue = try bench.queue()
        for _ in 0..<8 { try await queue.add([.session([1], "a"), .tokens([2], "a")]) }
        var changed = 0
        for number in 0..<32 {
            let hash = SessionKey(tag: Array("cloakroom revocations \(number)".utf8))
            let entries = try await bench.store.read(hash, .all).entries
            guard entries.count >= 2 else { continue }
            var bytes = entries[0].field.value
            bytes[bytes.count - 1] ^= 1
            try await bench.store.commit(
                hash,
                .update(writes: [
                    .set(entries[0].name, bytes, expires: bench.time.now() + .seconds(60)),
                    .set("job/x", entries[1].field.value, expires: bench.time.now() + .seconds(60)),
                ]))
            changed += 1
        }
        #expect(changed > 0)
        #expect(try await queue.waiting().count == 16 - changed)
        #expect(bench.log.lines.count { $0.contains("A stored revocation does not open") } == 2 * changed)
        #expect(try await queue.waiting().count == 16 - changed)
    }
}
