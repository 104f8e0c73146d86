package import Basics
package import StorageKit

/// A store that reports the outcome of its writes to `StoreHealth` and drops copies of sessions that it changes;
/// everything else is as in the inner store.
///
/// It shows no other protocol of the inner store, such as `ChangeMessages`: use the inner store itself for these.
package struct WatchedStore: ByteStore {
    let inner: any ByteStore
    let health: StoreHealth
    let copies: SessionCopies

    /// Watches the writes to `inner`.
    package init(inner: any ByteStore, health: StoreHealth, copies: SessionCopies) {
        self.inner = inner
        self.health = health
        self.copies = copies
    }

    package func read(_ session: SessionKey, _ fields: FieldSelection) async throws(StoreError) -> SessionSnapshot {
        let snapshot = try await inner.read(session, fields)
        // rule: a session that was seen to be gone has no copies
        if !snapshot.exists { copies.drop(session) }
        return snapshot
    }

    package func readAtOnce(_ session: SessionKey, _ fields: FieldSelection) throws(StoreError) -> SessionSnapshot? {
        try inner.readAtOnce(session, fields)
    }

    package func commit(_ session: SessionKey, _ commit: SessionCommit) async throws(StoreError) -> [String: UInt64] {
        // Whatever comes of it: a reader before may know what a reader after must not.
        // rule: a session that is about to change has no copies
        copies.drop(session)
        defer {
            // rule: a session that has changed has no copies
            copies.drop(session)
        }
        return try await noting { () async throws(StoreError) in try await inner.commit(session, commit) }
    }

    package func put(_ key: String, _ value: [UInt8], expires: Timestamp) async throws(StoreError) {
        try await noting { () async throws(StoreError) in try await inner.put(key, value, expires: expires) }
    }

    package func take(_ key: String) async throws(StoreError) -> [UInt8]? {
        try await noting(isProof: false) { () async throws(StoreError) in try await inner.take(key) }
    }

    package func claim(_ name: String, for duration: Duration) async throws(StoreError) -> Lease? {
        try await noting(isProof: false) { () async throws(StoreError) in try await inner.claim(name, for: duration) }
    }

    package func renew(_ lease: Lease, for duration: Duration) async throws(StoreError) -> Lease? {
        try await noting(isProof: false) { () async throws(StoreError) in try await inner.renew(lease, for: duration) }
    }

    package func release(_ lease: Lease) async throws(StoreError) {
        try await noting(isProof: false) { () async throws(StoreError) in try await inner.release(lease) }
    }

    package func ping() async throws(StoreError) { try await inner.ping() }

    package func close() async { await inner.close() }

    /// Runs a write and notes its outcome; with `isProof` false a success does not count, because it may have changed
    /// nothing.
    private func noting<Value: Sendable>(
        isProof: Bool = true, _ write: () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        do {
            let value = try await write()
            if isProof { health.note(nil) }
            return value
        } catch {
            health.note(error)
            throw error
        }
    }
}
