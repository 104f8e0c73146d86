public import Basics

/// Keeps sessions as bytes: the one protocol between Cloakroom and its back ends in memory, a file or a server.
///
/// A session is a set of named fields under one key with one expiry time. An item that has expired by the clock of the
/// store is absent from that very instant, even if its bytes are still stored. No operation scans all sessions. Every
/// operation may be called from any task at any time; cancelling the task does not cancel it. Optional abilities of a
/// store are protocols of their own: `ChangeMessages` and `SessionIndex`.
public protocol ByteStore: Sendable {
    /// Reads fields of a session in one round trip.
    ///
    /// - Returns: The fields as they were at one instant; `.absent` for a session that is unknown, expired or ended.
    /// - Throws: `.unavailable`.
    func read(_ session: SessionKey, _ fields: FieldSelection) async throws(StoreError) -> SessionSnapshot

    /// Reads fields of a session if that needs no waiting.
    ///
    /// - Returns: The result of `read`; nil if the caller must use `read`, as for any store that waits.
    /// - Throws: `.unavailable`.
    func readAtOnce(_ session: SessionKey, _ fields: FieldSelection) throws(StoreError) -> SessionSnapshot?

    /// Applies all changes or none; also ends a session, see `SessionCommit.Mode.end`.
    ///
    /// - Returns: The new revision of every field that was set; empty if the session ended.
    /// - Throws: `.conflict`, `.gone`, `.full` (nothing written); `.unavailable` (outcome unknown).
    @discardableResult
    func commit(_ session: SessionKey, _ commit: SessionCommit) async throws(StoreError) -> [String: UInt64]

    /// Stores a value that can be taken once; replaces the value under the key.
    ///
    /// - Throws: `.full`, `.unavailable`.
    func put(_ key: String, _ value: [UInt8], expires: Timestamp) async throws(StoreError)

    /// Reads and deletes a value atomically: of two callers, only one gets it.
    ///
    /// - Returns: The value; nil if it does not exist or has expired.
    /// - Throws: `.unavailable`; the value may then be lost.
    func take(_ key: String) async throws(StoreError) -> [UInt8]?

    /// Claims a name for some time.
    ///
    /// Also makes something happen only once, such as the use of a token's `jti`: claim its name and do not release it.
    ///
    /// - Returns: The lease; nil while another holder has the name.
    /// - Throws: `.full`, `.unavailable`.
    func claim(_ name: String, for duration: Duration) async throws(StoreError) -> Lease?

    /// Extends a lease, counted from now.
    ///
    /// - Returns: The lease with its new end; nil if it was lost: expired (even if it was not claimed since) or
    ///   released.
    /// - Throws: `.unavailable`.
    func renew(_ lease: Lease, for duration: Duration) async throws(StoreError) -> Lease?

    /// Releases a lease; a lost lease is left alone.
    ///
    /// - Throws: `.unavailable`.
    func release(_ lease: Lease) async throws(StoreError)

    /// Checks that the store can answer.
    ///
    /// - Throws: `.unavailable`.
    func ping() async throws(StoreError)

    /// Releases files, connections and memory; every operation after it throws `.unavailable`.
    func close() async
}

extension ByteStore {
    /// Returns nil: a store without its own implementation waits.
    public func readAtOnce(_ session: SessionKey, _ fields: FieldSelection) throws(StoreError) -> SessionSnapshot? {
        nil
    }
}
