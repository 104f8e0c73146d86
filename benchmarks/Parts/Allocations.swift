#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Prints how many allocations the process has made, each time that it gets SIGUSR1: `allocations 1234` on one line.
///
/// jemalloc counts them. A thread reports its small ones to the total when its cache is filled or flushed, so a count may
/// lag by some hundred. A process without jemalloc prints `allocations -`.
enum Allocations {
    /// The two ends of the pipe by which the signal handler wakes the thread that counts.
    ///
    /// A handler may do little more than write a byte. Set once, before the handler is installed.
    nonisolated(unsafe) private static var ends: (read: Int32, write: Int32) = (-1, -1)

    /// Installs the handler and starts the thread that counts.
    static func printOnSignal() {
        var made: [Int32] = [-1, -1]
        var thread = pthread_t()
        guard pipe(&made) == 0 else { return }
        ends = (made[0], made[1])
        let status = pthread_create(
            &thread, nil,
            { _ in
                Allocations.answerSignals()
                return nil
            }, nil)
        guard status == 0 else { return }
        pthread_detach(thread)
        signal(SIGUSR1) { _ in
            var byte: UInt8 = 0
            write(Allocations.ends.write, &byte, 1)
        }
    }

    private static func answerSignals() {
        var byte: UInt8 = 0
        while read(ends.read, &byte, 1) == 1 {
            print("allocations \(count().map { String($0) } ?? "-")")
            fflush(nil)
        }
    }

    /// The allocations of all arenas, small and large; nil without jemalloc.
    private static func count() -> UInt64? {
        typealias Control =
            @convention(c) (
                UnsafePointer<CChar>, UnsafeMutableRawPointer?, UnsafeMutablePointer<Int>?, UnsafeMutableRawPointer?,
                Int
            ) -> Int32
        guard let symbol = dlsym(nil, "mallctl") else { return nil }
        let control = unsafeBitCast(symbol, to: Control.self)
        // The statistics are a copy, made anew when the epoch is written.
        var epoch: UInt64 = 1
        guard control("epoch", nil, nil, &epoch, MemoryLayout<UInt64>.size) == 0 else { return nil }
        var total: UInt64 = 0
        // 4096 stands for all arenas (MALLCTL_ARENAS_ALL).
        for name in ["stats.arenas.4096.small.nrequests", "stats.arenas.4096.large.nrequests"] {
            var value: UInt64 = 0
            var size = MemoryLayout<UInt64>.size
            guard control(name, &value, &size, nil, 0) == 0 else { return nil }
            total += value
        }
        return total
    }
}
