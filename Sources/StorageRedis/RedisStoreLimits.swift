/// The bounds of what is kept in Redis; a write that would pass one is refused with `StoreError.full`.
public struct RedisStoreLimits: Sendable, Equatable {
    /// Bytes of one session, names and values of all its fields.
    ///
    /// Default 1 MiB.
    public var sessionBytes = 1 << 20
    /// Bytes of one single-use value.
    ///
    /// Default 256 KiB.
    public var valueBytes = 256 << 10
    /// The number of sessions under one index key.
    ///
    /// Default 10,000.
    public var indexEntriesPerKey = 10_000
    /// How long a mark of an ended session is kept.
    ///
    /// Default 10 min.
    public var tombstoneLifetime = Duration.seconds(600)
    /// The number of commands that may wait for an answer; one more is refused as `.unavailable`.
    ///
    /// Default 4,096.
    public var pendingCommands = 4_096
    /// The number of subjects whose changes may be waited for at once; one more is refused as `.unavailable`.
    ///
    /// Default 100,000.
    public var subjects = 100_000

    /// Makes limits with all defaults.
    public init() {}
}
