/// The bounds of a memory store; a write that would pass one is refused with `StoreError.full`.
public struct MemoryStoreLimits: Sendable, Equatable {
    /// The number of sessions that may be kept, 1 or more.
    ///
    /// Default 1,000,000.
    public var sessions = 1_000_000
    /// Bytes of all sessions and single-use values together, each counted with 256 bytes of overhead in the tables.
    ///
    /// Default 4 GiB.
    public var bytes = 4 << 30
    /// Bytes of one session, names and values of all its fields.
    ///
    /// Default 1 MiB.
    public var sessionBytes = 1 << 20
    /// The number of single-use values that may be kept.
    ///
    /// Default 200,000.
    public var values = 200_000
    /// Bytes of one single-use value.
    ///
    /// Default 256 KiB.
    public var valueBytes = 256 << 10
    /// The number of leases that may be held at once.
    ///
    /// Default 200,000.
    public var leases = 200_000
    /// The number of entries that the index may have; a session with one sign-in has three.
    ///
    /// Default 4,000,000.
    public var indexEntries = 4_000_000
    /// The number of sessions under one index key.
    ///
    /// Default 10,000.
    public var indexEntriesPerKey = 10_000
    /// The number of marks of ended sessions; if there are more, the oldest are dropped early.
    ///
    /// Default 65,536.
    public var tombstones = 65_536
    /// How long a mark of an ended session is kept.
    ///
    /// Default 10 min.
    public var tombstoneLifetime = Duration.seconds(600)

    /// Makes limits with all defaults.
    public init() {}
}
