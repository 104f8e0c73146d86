public import Basics

/// An optional ability of a store: an index that finds the sessions of a user without scanning all sessions.
public protocol SessionIndex: Sendable {
    /// Adds a session under an index key, a MAC over a provider's `sid` or `sub`.
    ///
    /// The expiry time of an existing entry is replaced.
    ///
    /// - Throws: `.full`, `.unavailable`.
    func addToIndex(_ key: [UInt8], _ session: SessionKey, expires: Timestamp) async throws(StoreError)

    /// Adds a session under several index keys, and then reads a field of the sessions that are marks of them.
    ///
    /// Each mark is read after all entries were added; a store that can does both in one step.
    ///
    /// - Returns: The marks, in their order.
    /// - Throws: `.full`, `.unavailable`; some of the entries may then be there.
    func addToIndex(_ entry: IndexEntry) async throws(StoreError) -> [SessionSnapshot]

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

/// One session under several index keys, with the marks that are read after it was added.
public struct IndexEntry: Sendable {
    /// The session that enters the index.
    public var session: SessionKey
    /// The keys under which it enters.
    public var keys: [[UInt8]]
    /// The end of the entries.
    public var expires: Timestamp
    /// The sessions of which `field` is read.
    public var marks: [SessionKey]
    /// The field of the marks.
    public var field: String

    /// Makes an entry.
    public init(_ session: SessionKey, keys: [[UInt8]], expires: Timestamp, marks: [SessionKey], field: String) {
        self.session = session
        self.keys = keys
        self.expires = expires
        self.marks = marks
        self.field = field
    }
}

extension SessionIndex where Self: ByteStore {
    /// Adds one entry after another, and then reads one mark after another.
    public func addToIndex(_ entry: IndexEntry) async throws(StoreError) -> [SessionSnapshot] {
        for key in entry.keys { try await addToIndex(key, entry.session, expires: entry.expires) }
        var marks: [SessionSnapshot] = []
        for mark in entry.marks { marks.append(try await read(mark, .names([entry.field]))) }
        return marks
    }
}
