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
