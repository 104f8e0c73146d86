import Basics
import Cryptography
import Logging
import StorageKit

/// What still has to be ended at providers, sealed with the server key alone and kept for a day at most.
///
/// It lies in the store as one hash that belongs to no browser, so that a restart forgets nothing and any process of a
/// cluster may do the work.
final class RevocationQueue: Sendable {
    private let store: any ByteStore
    private let sealer: ServerSealer
    private let time: any TimeSource
    private let keep: Duration
    private let logger: Logger
    private let hash = SessionKey(tag: Array("cloakroom revocations".utf8))
    private static let purpose = "revocation"

    init(store: any ByteStore, keys: ServerKeys, time: any TimeSource, keep: Duration, logger: Logger) {
        self.store = store
        sealer = ServerSealer(keys, purpose: Self.purpose)
        self.time = time
        self.keep = keep
        self.logger = logger
    }

    /// Writes what has to be ended, before anyone tries to.
    ///
    /// - Returns: The entries' names, for `done`.
    func add(_ obsolete: [Obsolete]) async throws(StoreError) -> [String] {
        let expires = time.now() + keep
        var writes: [FieldWrite] = []
        for item in obsolete {
            let name = "job/" + SecureRandom.token(12)
            do {
                writes.append(.set(name, try sealer.seal(item.encoded), expires: expires, expected: .absent))
            } catch {
                throw .unavailable
            }
        }
        try await commit(writes, expires: expires)
        return writes.map(\.field)
    }

    /// Forgets entries that are dealt with.
    func done(_ names: [String]) async {
        do {
            try await store.commit(hash, .update(writes: names.map { .delete($0) }))
        } catch {
            // They are tried once more and then found ended.
        }
    }

    /// Everything that waits.
    func waiting() async throws(StoreError) -> [(name: String, item: Obsolete)] {
        let snapshot = try await store.read(hash, .all)
        var items: [(String, Obsolete)] = []
        for (name, field) in snapshot.fields {
            do {
                items.append((name, try Obsolete(decoding: try sealer.open(field.value))))
            } catch {
                logger.error("A stored revocation does not open; it is dropped")
                await done([name])
            }
        }
        return items
    }

    private func commit(_ writes: [FieldWrite], expires: Timestamp) async throws(StoreError) {
        for _ in 0..<8 {
            do {
                try await store.commit(hash, .update(expires: expires, writes: writes))
                return
            } catch .gone {
                do {
                    try await store.commit(hash, .create(expires: expires, writes: writes))
                    return
                } catch .conflict {
                    continue
                }
            }
        }
        throw .unavailable
    }
}
