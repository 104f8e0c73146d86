public import Basics

/// An index of sessions that a store may have, by which those of a user are found without looking at all sessions.
public protocol SessionIndex: Sendable {
    /// Notes that a session belongs to an index key, a MAC over a provider's `sid` or `sub`; replaces the end of an entry.
    ///
    /// - Throws: `.full`, `.unavailable`.
    func addToIndex(_ key: [UInt8], _ session: SessionKey, expires: Timestamp) async throws(StoreError)

    /// Takes a session from an index key; that it is not there is no error.
    ///
    /// - Throws: `.unavailable`.
    func removeFromIndex(_ key: [UInt8], _ session: SessionKey) async throws(StoreError)

    /// The sessions of an index key, oldest entry first.
    ///
    /// The index knows nothing of the sessions themselves: one that has ended since may still be listed.
    ///
    /// - Throws: `.unavailable`.
    func listIndex(_ key: [UInt8]) async throws(StoreError) -> [SessionKey]
}
