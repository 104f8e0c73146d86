#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// Where wall-clock time comes from; tests and the simulator put their own here.
///
/// Waits and deadlines use `ContinuousClock`, which no one can set; this is for life times and `exp`.
public protocol TimeSource: Sendable {
    /// The current instant.
    func now() -> Timestamp
}

/// The clock of the machine.
public struct SystemTime: TimeSource {
    /// The clock of the machine.
    public init() {}

    /// The machine's wall-clock time, to the millisecond.
    public func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
