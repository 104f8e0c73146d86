import Basics
import Foundation
import StorageKit
import TestSupport
import Testing

@testable import StorageSQLite

@Suite("The SQLite store, of broken files,")
struct SQLiteFaultTests {
    private func failure(opening path: String) -> SQLiteStore.OpenError? {
        do {
            _ = try SQLiteStore(path: path, time: ManualTime())
            return nil
        } catch {
            return error
        }
    }

    @Test func `refuses a path where no file can be`() throws {
        let directory = try TemporaryDirectory()
        #expect(failure(opening: directory.file("missing/s.db")) == .unusable("unable to open database file"))
        #expect(failure(opening: directory.path) == .unusable("unable to open database file"))
        #expect(failure(opening: directory.path).map { "\($0)" } == "unable to open database file")
        directory.remove()
    }

    @Test func `refuses a file that is no database`() throws {
        let directory = try TemporaryDirectory()
        try Data("not a database, but long enough to be taken for one: \(String(repeating: "x", count: 5000))".utf8)
            .write(to: URL(filePath: directory.file("s.db")))
        #expect(failure(opening: directory.file("s.db")) == .unusable("file is not a database"))
        directory.remove()
    }

    @Test func `refuses the database of somebody else, and that of a newer version`() throws {
        let directory = try TemporaryDirectory()
        let other = try SQLiteConnection(path: directory.file("other.db"), busyTimeout: 0)
        try other.execute("CREATE TABLE t (a)")
        #expect(failure(opening: directory.file("other.db")) == .unknownSchema)
        #expect(failure(opening: directory.file("other.db")).map { "\($0)" }?.contains("something else") == true)
        #expect(try other.number("SELECT count(*) FROM sqlite_schema") == 1, "left as it was")
        #expect(failure(opening: directory.file("s.db")) == nil)
        let newer = try SQLiteConnection(path: directory.file("s.db"), busyTimeout: 1_000)
        try newer.execute("UPDATE schema_version SET version = 2")
        #expect(failure(opening: directory.file("s.db")) == .unknownSchema)
        directory.remove()
    }

    @Test("is unavailable and never crashes when its file is damaged", arguments: 0..<12)
    func damaged(seed: Int) async throws {
        let directory = try TemporaryDirectory()
        let (path, clock) = (directory.file("s.db"), ManualTime())
        let keys = (0..<40).map { _ in SessionKey.unique() }
        let writer = try SQLiteStore(path: path, time: clock)
        for key in keys {
            let value = [UInt8](repeating: 5, count: 3_000)
            try await writer.commit(key, .create(expires: clock.after(.seconds(60)), writes: [.set("a", value)]))
        }
        await writer.close()
        var bytes = try Data(contentsOf: URL(filePath: path))
        var state = UInt32(seed &* 2_654_435 &+ 99)
        // The head of the first page stays as it is; what follows is struck in many places, or cut off.
        for _ in 0..<400 where seed > 0 {
            state = state &* 1_664_525 &+ 1_013_904_223
            bytes[100 + Int(state >> 4) % (bytes.count - 100)] ^= UInt8(truncatingIfNeeded: state >> 16) | 1
        }
        if seed < 3 { bytes.removeLast(bytes.count / 2 / 4096 * 4096) }
        try bytes.write(to: URL(filePath: path))

        let store: SQLiteStore
        do { store = try SQLiteStore(path: path, time: clock) } catch {
            #expect(error != .unknownSchema)
            return directory.remove()
        }
        // Nothing else than done or unavailable; and of so much damage something is always noticed.
        var refused = 0
        for key in keys {
            let read = await refusal { () throws(StoreError) in try await store.read(key, .all) }
            #expect(read == nil || read == .unavailable)
            let update = SessionCommit.update(writes: [.set("a", [1]), .set("b", [UInt8](repeating: 1, count: 9_000))])
            let commit = await refusal { () throws(StoreError) in try await store.commit(key, update) }
            #expect(commit == nil || commit == .gone || commit == .unavailable)
            let end = await refusal { () throws(StoreError) in try await store.commit(key, .end()) }
            #expect(end == nil || end == .gone || end == .unavailable)
            let list = await refusal { () throws(StoreError) in try await store.listIndex([1]) }
            #expect(list == nil || list == .unavailable)
            refused += [read, commit, end, list].filter { $0 == .unavailable }.count
        }
        #expect(refused > 0)
        await store.close()
        directory.remove()
    }

    @Test("takes every failure of the file as an outage", arguments: [5, 6, 8, 10, 11, 13, 14, 26, 778] as [Int32])
    func codes(code: Int32) {
        #expect(SQLiteError.code(code).storeError == .unavailable)
        #expect(SQLiteError.refused(.gone).storeError == .gone)
    }
}
