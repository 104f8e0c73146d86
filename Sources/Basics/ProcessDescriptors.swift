#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// How many files and sockets this process may have open, and has.
package enum ProcessDescriptors {
    /// The number in force (the soft limit of RLIMIT_NOFILE); `Int.max` for no limit.
    package static var limit: Int { read().map { clamped($0.rlim_cur) } ?? .max }

    /// The number that the process may raise `limit` to (the hard limit); `Int.max` for no limit.
    package static var hardLimit: Int { read().map { clamped($0.rlim_max) } ?? .max }

    /// Raises the limit in force to the hard one, for the rest of the process and for the programs that it starts.
    ///
    /// Takes no right. Where the system refuses, the limit stays.
    package static func raiseLimit() {
        guard var now = read(), now.rlim_cur < now.rlim_max else { return }
        now.rlim_cur = now.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &now)
    }

    /// The files and sockets that are open; 0 where the system does not say.
    package static var openCount: Int {
        guard let directory = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        // Not the directory itself, nor the two names for it and the one above.
        return max(0, count - 3)
    }

    private static func read() -> rlimit? {
        var now = rlimit()
        return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &now) == 0 ? now : nil
    }

    private static func clamped(_ number: rlim_t) -> Int { Int(clamping: number) }
}
