import Basics
import Foundation
import StorageKit
import TestSupport
import Testing

@testable import StorageSQLite

@Suite("The SQLite store, of processes,", .serialized)
struct SQLiteProcessTests {
    /// Session `number` of the processes in these tests.
    static func key(_ number: Int) -> SessionKey { SessionKey(tag: Array("process-\(number)".utf8)) }

    @Test func `has every complete operation of a process that was killed`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("s.db")
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let store = try SQLiteStore(path: path, time: ManualTime())
            for number in 0..<50 {
                let value = [UInt8](repeating: UInt8(number), count: 20_000)
                let writes = ["a", "b"].map { FieldWrite.set($0, value) }
                let key = SQLiteProcessTests.key(number)
                try await store.commit(key, .create(expires: ManualTime().after(.seconds(60)), writes: writes))
            }
            // Some of these are under way when the process dies.
            for number in 0..<50 {
                Task.detached {
                    let value = [UInt8](repeating: UInt8(number + 100), count: 20_000)
                    let writes = ["a", "b"].map { FieldWrite.set($0, value) }
                    try await store.commit(SQLiteProcessTests.key(number), .update(writes: writes))
                }
            }
            try await store.ping()
            kill(getpid(), SIGKILL)
        }
        let store = try SQLiteStore(path: path, time: ManualTime())
        for number in 0..<50 {
            let fields = try await store.read(Self.key(number), .all).fields.mapValues(\.value)
            let old = [UInt8](repeating: UInt8(number), count: 20_000)
            let new = [UInt8](repeating: UInt8(number + 100), count: 20_000)
            #expect(fields == ["a": old, "b": old] || fields == ["a": new, "b": new])
        }
        await store.close()
        directory.remove()
    }

    @Test func `is unavailable when the disk is full, and works again when there is room`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("s.db")
        await #expect(processExitsWith: .success) { [path = path as String] in
            // A limit on the size of files makes writes fail as a full disk does.
            signal(SIGXFSZ, SIG_IGN)
            let store = try SQLiteStore(path: path, time: ManualTime())
            let end = ManualTime().after(.seconds(60))
            let value = [UInt8](repeating: 1, count: 100_000)
            try await store.commit(SQLiteProcessTests.key(0), .create(expires: end, writes: [.set("a", value)]))
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            let before = limit.rlim_cur
            limit.rlim_cur = 600_000
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            var outcome: StoreError?
            for number in 1..<100 where outcome == nil {
                let create = SessionCommit.create(expires: end, writes: [.set("a", value)])
                let key = SQLiteProcessTests.key(number)
                outcome = await refusal { () throws(StoreError) in try await store.commit(key, create) }
            }
            guard outcome == .unavailable else { exit(2) }
            guard try await store.read(SQLiteProcessTests.key(0), .all)["a"]?.value == value else { exit(3) }
            limit.rlim_cur = before
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            let create = SessionCommit.create(expires: end, writes: [.set("a", value)])
            try await store.commit(SQLiteProcessTests.key(100), create)
            await store.close()
        }
        directory.remove()
    }

    @Test func `is not opened where nothing can be written, be the file new or there`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("s.db")
        await #expect(processExitsWith: .success) { [path = path as String] in
            signal(SIGXFSZ, SIG_IGN)
            let file = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
            var limit = rlimit()
            getrlimit(file, &limit)
            let before = limit.rlim_cur
            for isNew in [true, false] {
                if !isNew {
                    let store = try SQLiteStore(path: path, time: ManualTime())
                    await store.close()
                }
                // A limit on the size of files makes writes fail as a full disk does; the index of the journal fits in.
                for size: rlim_t in isNew ? [0, 4096, 40_000] : [0, 4096, 33_000, 40_000] {
                    limit.rlim_cur = size
                    setrlimit(file, &limit)
                    do throws(SQLiteStore.OpenError) {
                        _ = try SQLiteStore(path: path, time: ManualTime())
                        exit(Int32(2 + size / 1000))
                    } catch {
                        guard case .unusable = error else { exit(1) }
                    }
                }
                limit.rlim_cur = before
                setrlimit(file, &limit)
            }
            let store = try SQLiteStore(path: path, time: ManualTime())
            try await store.ping()
            await store.close()
        }
        directory.remove()
    }

    @Test func `knows a disk that is full by its figures`() throws {
        let directory = try TemporaryDirectory()
        #expect(!DiskRoom.isUsedUp(at: directory.file("s.db")))
        #expect(!DiskRoom.isUsedUp(at: "/nowhere/s.db"))
        var room = statvfs()
        #expect(!DiskRoom.isUsedUp(room), "it has no size")
        (room.f_blocks, room.f_frsize, room.f_bavail) = (1_000, 4_096, 16)
        #expect(!DiskRoom.isUsedUp(room))
        room.f_bavail = 15
        #expect(DiskRoom.isUsedUp(room))
        (room.f_bavail, room.f_files, room.f_favail) = (1_000, 50, 1)
        #expect(!DiskRoom.isUsedUp(room))
        room.f_favail = 0
        #expect(DiskRoom.isUsedUp(room))
        #expect(SQLiteError.cause(13, directory.file("s.db")) == "database or disk is full")
        #expect(SQLiteError.cause(26, directory.file("s.db")) == "file is not a database")
        directory.remove()
    }

    @Test func `is shared by processes`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("s.db")
        let (store, end) = (
            try SQLiteStore(path: path, time: ManualTime()), ManualTime().after(.seconds(60))
        )
        let key = Self.key(0)
        try await store.commit(key, .create(expires: end, writes: [.set("n", [0])]))
        async let others: ExitTest.Result? = #expect(processExitsWith: .success) { [path = path as String] in
            let store = try SQLiteStore(path: path, time: ManualTime())
            for _ in 0..<60 { try await SQLiteProcessTests.increment(store) }
            await store.close()
        }
        for _ in 0..<60 { try await Self.increment(store) }
        _ = await others
        #expect(try await store.read(key, .all)["n"]?.value == [120])
        await store.close()
        directory.remove()
    }

    private static func increment(_ store: SQLiteStore) async throws {
        while true {
            guard let field = try await store.read(key(0), .names(["n"]))["n"] else { throw StoreError.gone }
            let write = FieldWrite.set("n", [field.value[0] + 1], expected: .revision(field.revision))
            do {
                try await store.commit(key(0), .update(writes: [write]))
                return
            } catch StoreError.conflict(field: "n") {}
        }
    }
}
