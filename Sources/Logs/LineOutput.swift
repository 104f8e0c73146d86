#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// Writes whole lines to a file descriptor, each with one call to the system unless that takes a part only.
///
/// What it cannot write it drops: a log has nowhere to report that to.
struct LineOutput: Sendable {
    /// Takes bytes; the number taken, or the error as a negative number.
    private let put: @Sendable (UnsafeRawBufferPointer) -> Int
    /// Waits until the descriptor takes more; false when that is not worth it.
    private let wait: @Sendable () -> Bool

    init(descriptor: Int32) {
        self.init {
            let count = Self.write(descriptor, $0)
            return count < 0 ? -Int(errno) : count
        } wait: {
            var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            return poll(&entry, 1, 1000) > 0
        }
    }

    init(
        put: @escaping @Sendable (UnsafeRawBufferPointer) -> Int, wait: @escaping @Sendable () -> Bool
    ) {
        self.put = put
        self.wait = wait
    }

    func write(_ line: [UInt8]) {
        line.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let count = put(UnsafeRawBufferPointer(rebasing: bytes[done...]))
                if count > 0 {
                    done += count
                } else if count != -Int(EINTR), count != -Int(EAGAIN) || !wait() {
                    return
                }
            }
        }
    }

    private static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
            Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        #else
            Musl.write(descriptor, bytes.baseAddress, bytes.count)
        #endif
    }
}
