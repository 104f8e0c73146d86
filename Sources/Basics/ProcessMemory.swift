internal import CShims

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// What others may see of this process's memory.
package enum ProcessMemory {
    /// Keeps the memory out of core dumps, and from other processes of the same user, debuggers among them (prctl(2),
    /// PR_SET_DUMPABLE).
    ///
    /// For the rest of the process. Nobody needs a right to give this up, so it does not fail.
    package static func shield() {
        _ = cloakroom_set_dumpable(0)
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    }

    /// Whether that was not done yet.
    package static var isReadable: Bool { cloakroom_get_dumpable() == 1 }
}
