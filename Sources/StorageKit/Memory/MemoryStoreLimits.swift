/// How much a memory store may hold; what would pass a bound is refused with `StoreError.full`.
public struct MemoryStoreLimits: Sendable, Equatable {
    /// Sessions, 1 or more. 1,000,000.
    public var sessions = 1_000_000
    /// Bytes of all sessions and single-use values together, each counted with 256 bytes for its place in the tables. 4 GiB.
    public var bytes = 4 << 30
    /// Bytes of one session, names and values of all its fields. 1 MiB.
    public var sessionBytes = 1 << 20
    /// Single-use values. 200,000.
    public var values = 200_000
    /// Bytes of one single-use value. 256 KiB.
    public var valueBytes = 256 << 10
    /// Leases. 200,000.
    public var leases = 200_000
    /// Index entries. 2,000,000.
    public var indexEntries = 2_000_000
    /// Sessions under one index key. 10,000.
    public var indexEntriesPerKey = 10_000
    /// Marks of ended sessions; the oldest are forgotten early when there are more. 65,536.
    public var tombstones = 65_536
    /// How long a mark of an ended session is kept. 10 min.
    public var tombstoneLifetime = Duration.seconds(600)
    /// Change messages that wait for one subscriber. 1,024.
    public var pendingChanges = 1_024

    /// The defaults.
    public init() {}
}
