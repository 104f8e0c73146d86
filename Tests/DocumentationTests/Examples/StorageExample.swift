import Basics
import StorageKit

/// A storage of one's own: whatever keeps one item.
final class LoggingStorage<Base: Storage>: Storage {
    private let base: Base
    private let log: @Sendable (String) -> Void

    init(_ base: Base, log: @escaping @Sendable (String) -> Void) {
        self.base = base
        self.log = log
    }

    func save(_ item: Base.Item) async throws(StorageError) {
        log("save")
        try await base.save(item)
    }

    func get() async throws(StorageError) -> Base.Item? {
        log("get")
        return try await base.get()
    }

    func delete() async throws(StorageError) {
        log("delete")
        try await base.delete()
    }
}

func writeTwice(_ store: any ByteStore, _ session: SessionKey) async throws {
    let end = SystemTime().now() + .seconds(1800)
    let revisions = try await store.commit(
        session, SessionCommit(mode: .create, expires: end, writes: [.set("meta", Array("one".utf8))]))
    guard let revision = revisions["meta"] else { return }
    // Whoever wrote in between makes this throw `.conflict`, and nothing is written.
    try await store.commit(
        session,
        SessionCommit(
            mode: .update, expires: nil,
            writes: [.set("meta", Array("two".utf8), expected: .revision(revision))]))
}

/// Notes of a user, in a form of their own.
struct Notes: RecordCodable, Equatable {
    static let version: UInt8 = 1

    var lines: [String]

    init(_ lines: [String]) { self.lines = lines }

    func write(into writer: inout RecordWriter) { writer.write(lines) { $0.write($1) } }

    init(from reader: inout RecordReader) throws(RecordError) { lines = try reader.strings() }
}

/// The notes of a session: sealed under its key, and in memory while the store cannot be written.
func notes(_ store: any ByteStore, _ session: SessionKey, _ key: DataKey) -> some Storage<Notes> {
    let address = RecordAddress(session: session, field: "notes")
    let record = StoredRecord<Notes>(at: address, in: store, encryptor: key) { address, alarm in
        print("\(address.field) counts as absent: \(alarm)")
    }
    return record.cached(.cacheOnFailure)
}
