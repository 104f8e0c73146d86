/// How much a file may hold; what would pass a bound is refused with `StoreError.full`.
public struct SQLiteStoreLimits: Sendable, Equatable {
    /// Bytes in use in the file, without its journal.
    ///
    /// Default 4 GiB.
    public var bytes = 4 << 30
    /// Bytes of one session, names and values of all its fields.
    ///
    /// Default 1 MiB.
    public var sessionBytes = 1 << 20
    /// Bytes of one single-use value.
    ///
    /// Default 256 KiB.
    public var valueBytes = 256 << 10
    /// Sessions under one index key.
    ///
    /// Default 10,000.
    public var indexEntriesPerKey = 10_000
    /// How long a mark of an ended session is kept.
    ///
    /// Default 10 min.
    public var tombstoneLifetime = Duration.seconds(600)
    /// Operations that wait for the thread; one more is refused as `.unavailable`.
    ///
    /// Default 4,096.
    public var pendingOperations = 4_096
    /// How long an operation waits while another process writes, from when it was asked for; once one has waited in vain,
    /// those after it wait for a twentieth of a second, until one is done.
    ///
    /// Default 2 s.
    public var busyTimeout = Duration.seconds(2)
    /// How often the file is looked at for changes by other processes, while somebody wants to know of them.
    ///
    /// Default 100 ms.
    public var changePollInterval = Duration.milliseconds(100)

    /// Limits with every default.
    public init() {}
}
