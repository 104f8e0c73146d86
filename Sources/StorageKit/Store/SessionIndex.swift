public import Basics

/// An optional ability of a store: an index that finds the sessions of a user without scanning all sessions.
public protocol SessionIndex: Sendable {
    /// Adds a session under an index key, a MAC over a provider's `sid` or `sub`.
    ///
    /// The expiry time of an existing entry is replaced.
    ///
    /// - Throws: `.full`, `.unavailable`.
    func addToIndex(_ key: [UInt8], _ session: SessionKey, expires: Timestamp) async throws(StoreError)

    /// Removes a session from an index key; a missing entry is no error.
    ///
    /// - Throws: `.unavailable`.
    func removeFromIndex(_ key: [UInt8], _ session: SessionKey) async throws(StoreError)

    /// The sessions of an index key, oldest entry first.
    ///
    /// The index does not track the sessions themselves: a session that has ended since may still be listed.
    ///
    /// - Throws: `.unavailable`.
    func listIndex(_ key: [UInt8]) async throws(StoreError) -> [SessionKey]
}
