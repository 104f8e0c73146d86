internal import CShims

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// Protects this process's memory from other processes.
package enum ProcessMemory {
    /// Keeps the memory out of core dumps, and from other processes of the same user, debuggers among them (prctl(2),
    /// PR_SET_DUMPABLE).
    ///
    /// Holds for the rest of the process. It needs no privilege, so it does not fail.
    package static func shield() {
        _ = cloakroom_set_dumpable(0)
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    }

    /// True if `shield` was not called yet.
    package static var isReadable: Bool { cloakroom_get_dumpable() == 1 }
}
