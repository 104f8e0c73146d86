#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// A source of wall-clock time and of waiting, which tests and simulations replace.
///
/// Deadlines are instants of `ContinuousClock`, which cannot be set; `now` is for life times and `exp`.
public protocol TimeSource: Sendable {
    /// The current instant.
    func now() -> Timestamp

    /// Waits; by the machine's monotonic clock, unless a source has a way of its own.
    ///
    /// - Parameter span: For how long; not at all when it is negative.
    /// - Throws: `CancellationError` when the task is cancelled before.
    func sleep(for span: Duration) async throws
}

extension TimeSource {
    /// Waits by the machine's monotonic clock.
    public func sleep(for span: Duration) async throws { try await Task.sleep(for: span) }
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
