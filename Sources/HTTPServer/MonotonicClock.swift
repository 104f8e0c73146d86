#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// A clock in milliseconds that cannot be set; coarse (about 4 ms), because it is read on every request.
enum MonotonicClock {
    static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return UInt64(time.tv_sec) * 1000 + UInt64(time.tv_nsec) / 1_000_000
    }
}

extension Duration {
    /// Milliseconds for deadlines of the monotonic clock: never negative, at most about thirty years.
    var clockMilliseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return UInt64(min(seconds, 1_000_000_000)) * 1000 + UInt64(attoseconds / 1_000_000_000_000_000)
    }
}
