public import Basics

/// Keeps sessions as bytes: the one protocol between Cloakroom and a memory table, a file or a server.
///
/// A session is a set of named fields under one key with one end. What has expired by the clock of the store is absent at
/// that very instant, whether or not its bytes are still there. No operation looks at all sessions. Every one is safe to
/// call from any task at any time; none is cancelled by its task. What a store may have besides are protocols of their
/// own: `ChangeMessages` and `SessionIndex`.
public protocol ByteStore: Sendable {
    /// Reads fields of a session in one round trip.
    ///
    /// - Returns: The fields as they were at one instant; `.absent` for a session that is unknown, expired or ended.
    /// - Throws: `.unavailable`.
    func read(_ session: SessionKey, _ fields: FieldSelection) async throws(StoreError) -> SessionSnapshot

    /// Reads fields of a session if that needs no waiting at all.
    ///
    /// - Returns: What `read` would return; nil to be asked with `read`, always from a store that waits for something.
    /// - Throws: `.unavailable`.
    func readAtOnce(_ session: SessionKey, _ fields: FieldSelection) throws(StoreError) -> SessionSnapshot?

    /// Makes all changes or none; also the way to end a session, see `SessionCommit.Mode.end`.
    ///
    /// - Returns: The new revision of every field that was set; none where the session ended.
    /// - Throws: `.conflict`, `.gone`, `.full` (nothing written); `.unavailable` (outcome unknown).
    @discardableResult
    func commit(_ session: SessionKey, _ commit: SessionCommit) async throws(StoreError) -> [String: UInt64]

    /// Stores a value that is taken once; replaces what is under the key.
    ///
    /// - Throws: `.full`, `.unavailable`.
    func put(_ key: String, _ value: [UInt8], expires: Timestamp) async throws(StoreError)

    /// Reads and deletes in one: of two callers one gets the value.
    ///
    /// - Returns: The value, nil when there is none or it has expired.
    /// - Throws: `.unavailable`; then the value may be gone.
    func take(_ key: String) async throws(StoreError) -> [UInt8]?

    /// Claims a name for a while. Also the way to let something happen once, as with the `jti` of a token: claim and do
    /// not release.
    ///
    /// - Returns: The lease, nil while somebody holds one.
    /// - Throws: `.full`, `.unavailable`.
    func claim(_ name: String, for duration: Duration) async throws(StoreError) -> Lease?

    /// Extends a lease from now.
    ///
    /// - Returns: The lease with its new end, nil when it was lost: expired (even if nobody has claimed since) or released.
    /// - Throws: `.unavailable`.
    func renew(_ lease: Lease, for duration: Duration) async throws(StoreError) -> Lease?

    /// Gives a lease back; one that was lost is left alone.
    ///
    /// - Throws: `.unavailable`.
    func release(_ lease: Lease) async throws(StoreError)

    /// Asks whether the store would answer.
    ///
    /// - Throws: `.unavailable`.
    func ping() async throws(StoreError)

    /// Lets go of files, connections and memory; every operation after it throws `.unavailable`.
    func close() async
}

extension ByteStore {
    /// Nil: such a store waits.
    public func readAtOnce(_ session: SessionKey, _ fields: FieldSelection) throws(StoreError) -> SessionSnapshot? {
        nil
    }
}
