import Basics
import Foundation
import StorageKit
import TestSupport
import Testing

@testable import StorageSQLite

@Suite("The SQLite store")
struct SQLiteStoreTests {
    private func withDirectory(_ body: (TemporaryDirectory, ManualTime) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        try await body(directory, ManualTime())
        directory.remove()
    }

    private func open(
        _ path: String, _ clock: ManualTime, _ change: (inout SQLiteStoreLimits) -> Void = { _ in }
    ) throws -> SQLiteStore {
        var limits = SQLiteStoreLimits()
        change(&limits)
        return try SQLiteStore(path: path, time: clock, limits: limits)
    }

    @Test func `finds everything again after a restart`() async throws {
        try await withDirectory { directory, clock in
            let key = SessionKey.unique()
            let end = clock.after(.seconds(60))
            var store = try open(directory.file("s.db"), clock)
            let revisions = try await store.commit(key, .create(expires: end, writes: [.set("a", [1])]))
            try await store.put("k", [2], expires: end)
            let lease = try #require(try await store.claim("n", for: .seconds(60)))
            try await store.addToIndex([3], key, expires: end)
            let ended = SessionKey.unique()
            try await store.commit(ended, .create(expires: end))
            try await store.commit(ended, .end())
            await store.close()

            store = try open(directory.file("s.db"), clock)
            let snapshot = try await store.read(key, .all)
            #expect(snapshot["a"] == StoredField(value: [1], revision: try #require(revisions["a"])))
            #expect(try await store.take("k") == [2])
            #expect(try await store.renew(lease, for: .seconds(60)) != nil)
            #expect(try await store.listIndex([3]) == [key])
            let revive = SessionCommit.create(expires: end)
            #expect(await refusal { () throws(StoreError) in try await store.commit(ended, revive) } == .gone)
            try await store.release(lease)
            #expect(try #require(try await store.claim("n", for: .seconds(60))).fence > lease.fence)
            await store.close()
        }
    }

    @Test func `opens a new file in several places at once`() async throws {
        try await withDirectory { directory, clock in
            for round in 0..<5 {
                let path = directory.file("s\(round).db")
                let stores = try await withThrowingTaskGroup(of: SQLiteStore.self) { group in
                    for _ in 0..<4 {
                        group.addTask { try SQLiteStore(path: path, time: clock) }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                for store in stores { try await store.commit(.unique(), .create(expires: clock.after(.seconds(60)))) }
                for store in stores { await store.close() }
            }
        }
    }

    @Test func `lets nobody else read its files`() async throws {
        try await withDirectory { directory, clock in
            let path = directory.file("s.db")
            let made = FileManager.default.createFile(
                atPath: path, contents: nil, attributes: [.posixPermissions: 0o644])
            #expect(made)
            let store = try open(path, clock)
            try await store.commit(.unique(), .create(expires: clock.after(.seconds(60)), writes: [.set("a", [1])]))
            let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            #expect(Set(names) == ["s.db", "s.db-wal", "s.db-shm"])
            for name in names {
                let attributes = try FileManager.default.attributesOfItem(atPath: directory.file(name))
                #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
            }
            await store.close()
        }
    }

    @Test func `hears of what another store on the same file writes`() async throws {
        try await withDirectory { directory, clock in
            let path = directory.file("s.db")
            let (one, two) = (try open(path, clock) { $0.changePollInterval = .milliseconds(1) }, try open(path, clock))
            let key = SessionKey.unique()
            var changes = try await one.changes(of: .session(key)).makeAsyncIterator()
            try await two.commit(key, .create(expires: clock.after(.seconds(60)), writes: [.set("a", [1])]))
            #expect(await changes.next() != nil)
            try await one.commit(key, .update(writes: [.set("b", [1])]))
            #expect(await changes.next() != nil)
            try await two.commit(key, .end())
            #expect(await changes.next() != nil)
            #expect(try await one.read(key, .all) == .absent)
            let lease = try #require(try await two.claim("n", for: .seconds(10)))
            var releases = try await one.changes(of: .lease("n")).makeAsyncIterator()
            try await two.release(lease)
            #expect(await releases.next() != nil)
            await one.close()
            await two.close()
        }
    }

    @Test func `tells those who listen of others' writes also while somebody begins to listen`() async throws {
        try await withDirectory { directory, clock in
            let path = directory.file("s.db")
            let (one, two) = (try open(path, clock) { $0.changePollInterval = .seconds(3600) }, try open(path, clock))
            let key = SessionKey.unique()
            // Only beginning to listen looks at the file.
            var changes = try await one.changes(of: .session(key)).makeAsyncIterator()
            try await two.commit(key, .create(expires: clock.after(.seconds(60)), writes: [.set("a", [1])]))
            _ = try await one.changes(of: .session(.unique()))
            await one.close()
            #expect(await changes.next() != nil)
            await two.close()
        }
    }

    @Test func `lets two stores race on one file as if they were one`() async throws {
        try await withDirectory { directory, clock in
            let path = directory.file("s.db")
            let stores = [try open(path, clock), try open(path, clock)]
            let key = SessionKey.unique()
            let end = clock.after(.seconds(60))
            try await stores[0].commit(key, .create(expires: end, writes: [.set("n", [0])]))
            try await stores[0].put("k", [1], expires: end)
            let taken = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<60 {
                    group.addTask {
                        let store = stores[number % 2]
                        while true {
                            let field = try #require(try await store.read(key, .names(["n"]))["n"])
                            let write = FieldWrite.set("n", [field.value[0] + 1], expected: .revision(field.revision))
                            do {
                                try await store.commit(key, .update(writes: [write]))
                                break
                            } catch StoreError.conflict(field: "n") {}
                        }
                        return try await store.take("k") == nil ? 0 : 1
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(taken == 1)
            #expect(try await stores[1].read(key, .all)["n"]?.value == [60])
            for store in stores { await store.close() }
        }
    }

    @Test func `deletes what has expired from the file, a few rows at a time`() async throws {
        try await withDirectory { directory, clock in
            let path = directory.file("s.db")
            let store = try open(path, clock)
            let end = clock.after(.seconds(10))
            for number in 0..<120 {
                try await store.commit(.unique(), .create(expires: end, writes: [.set("a", [1]), .set("b", [1])]))
                try await store.put("\(number)", [1], expires: end)
                _ = try await store.claim("\(number)", for: .seconds(10))
                try await store.addToIndex([UInt8(number)], .unique(), expires: end)
            }
            clock.advance(by: .seconds(600))
            for _ in 0..<200 { try await store.ping() }
            let file = try SQLiteConnection(path: path, busyTimeout: 2_000)
            for table in ["sessions", "fields", "single_use", "leases", "session_index", "tombstones"] {
                #expect(try file.number("SELECT count(*) FROM \(table)") == 0, "\(table)")
            }
            await store.close()
        }
    }

    @Test func `is unavailable while another process holds the file, and recovers`() async throws {
        try await withDirectory { directory, clock in
            let path = directory.file("s.db")
            let store = try open(path, clock) { $0.busyTimeout = .milliseconds(5) }
            let key = SessionKey.unique()
            let create = SessionCommit.create(expires: clock.after(.seconds(60)))
            let other = try SQLiteConnection(path: path, busyTimeout: 2_000)
            try other.run("BEGIN IMMEDIATE")
            #expect(await refusal { () throws(StoreError) in try await store.commit(key, create) } == .unavailable)
            #expect(try await store.read(key, .all) == .absent, "reading goes on")
            try other.run("ROLLBACK")
            try await store.commit(key, create)
            await store.close()
        }
    }

    @Test func `waits for a lock from when an operation is asked for, and hardly once that was in vain`() async throws {
        try await withDirectory { directory, clock in
            var limits = SQLiteStoreLimits()
            limits.busyTimeout = .seconds(1_000)
            let connection = try Schema.open(directory.file("s.db"), busyTimeout: .seconds(2))
            let core = try FileCore(
                connection: connection, time: clock, limits: limits, hub: ChangeHub(), logger: RecordedLog().logger())
            func write(_ asked: ContinuousClock.Instant) -> Result<Void, StoreError> {
                core.perform(asked: asked, isWrite: true) { connection, _ throws(SQLiteError) in
                    try connection.put("k", [1], expires: 9, limits: limits)
                }
            }
            func read() -> Result<[SessionKey], StoreError> {
                core.perform(asked: .now, isWrite: false) { connection, now throws(SQLiteError) in
                    try connection.listIndex([1], now)
                }
            }
            #expect(core.patience(.now) > .seconds(900))
            #expect(core.patience(.now - .seconds(600)) < .seconds(401))
            #expect(core.patience(.now - .seconds(2_000)) == .zero)
            let other = try SQLiteConnection(path: directory.file("s.db"), busyTimeout: 2_000)
            try other.run("BEGIN IMMEDIATE")
            // It stood in the queue for all of its time.
            #expect(throws: StoreError.unavailable) { try write(.now - .seconds(2_000)).get() }
            #expect(core.patience(.now) == .milliseconds(50))
            #expect(throws: StoreError.unavailable) { try write(.now).get() }
            #expect(try read().get() == [])
            #expect(core.patience(.now) == .milliseconds(50), "reading takes no lock")
            try other.run("ROLLBACK")
            try write(.now).get()
            #expect(core.patience(.now) > .seconds(900))
            core.close()
        }
    }

    @Test func `clears what has expired when nothing is locked, and waits for no lock to do it`() async throws {
        try await withDirectory { directory, clock in
            var limits = SQLiteStoreLimits()
            limits.busyTimeout = .seconds(1_000)
            let log = RecordedLog()
            let connection = try Schema.open(directory.file("s.db"), busyTimeout: .seconds(2))
            let core = try FileCore(
                connection: connection, time: clock, limits: limits, hub: ChangeHub(), logger: log.logger())
            let other = try SQLiteConnection(path: directory.file("s.db"), busyTimeout: 2_000)
            try other.run("INSERT INTO single_use (key, value, expires) VALUES ('old', x'00', 1)")
            try other.run("BEGIN IMMEDIATE")
            _ = core.idle()
            #expect(log.lines.isEmpty)
            try other.run("ROLLBACK")
            #expect(try other.number("SELECT count(*) FROM single_use WHERE key = 'old'") == 1)
            for _ in 0..<16 {
                _ = core.perform(asked: .now, isWrite: false) { _, _ throws(SQLiteError) in }
            }
            _ = core.idle()
            #expect(try other.number("SELECT count(*) FROM single_use WHERE key = 'old'") == 0)
            core.close()
        }
    }

    @Test func `refuses more operations than may wait`() async throws {
        try await withDirectory { directory, clock in
            let store = try open(directory.file("s.db"), clock) {
                $0.busyTimeout = .milliseconds(200)
                $0.pendingOperations = 4
            }
            let other = try SQLiteConnection(path: directory.file("s.db"), busyTimeout: 2_000)
            try other.run("BEGIN IMMEDIATE")
            let outcomes = await withTaskGroup(of: StoreError?.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        await refusal { () throws(StoreError) in try await store.commit(.unique(), .end()) }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes == [StoreError?](repeating: .unavailable, count: 20))
            try other.run("ROLLBACK")
            try await store.ping()
            await store.close()
        }
    }

    @Test func `refuses more bytes than the file may have, and takes them when there is room`() async throws {
        try await withDirectory { directory, clock in
            let store = try open(directory.file("s.db"), clock) { $0.bytes = 512 << 10 }
            let value = [UInt8](repeating: 1, count: 50_000)
            var keys = [SessionKey]()
            var outcome: StoreError?
            while outcome == nil, keys.count < 100 {
                let key = SessionKey.unique()
                let create = SessionCommit.create(expires: clock.after(.seconds(60)), writes: [.set("a", value)])
                outcome = await refusal { () throws(StoreError) in try await store.commit(key, create) }
                if outcome == nil { keys.append(key) }
            }
            #expect(outcome == .full && keys.count > 3)
            #expect(try await store.read(keys[0], .all)["a"]?.value == value)
            try await store.commit(keys[0], .end())
            try await store.commit(.unique(), .create(expires: clock.after(.seconds(60)), writes: [.set("a", value)]))
            await store.close()
        }
    }

    @Test func `notices that its file was deleted`() async throws {
        try await withDirectory { directory, clock in
            let store = try open(directory.file("s.db"), clock)
            try await store.ping()
            try FileManager.default.removeItem(atPath: directory.file("s.db"))
            #expect(await refusal { () throws(StoreError) in try await store.ping() } == .unavailable)
            await store.close()
        }
    }

    @Test func `overwrites what was deleted`() async throws {
        try await withDirectory { directory, clock in
            let store = try open(directory.file("s.db"), clock)
            let key = SessionKey.unique()
            let canary = Array("canary-7b1d0e53".utf8)
            try await store.commit(key, .create(expires: clock.after(.seconds(60)), writes: [.set("a", canary)]))
            try await store.commit(key, .end())
            await store.close()
            let file = try Data(contentsOf: URL(filePath: directory.file("s.db")))
            #expect(file.firstRange(of: Data(canary)) == nil)
            #expect(!FileManager.default.fileExists(atPath: directory.file("s.db-wal")))
        }
    }
}
