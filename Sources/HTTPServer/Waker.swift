internal import CShims

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// Wakes a thread that waits in `poll` or `epoll_wait`, from any thread.
final class Waker: Sendable {
    /// What to watch for reading.
    let descriptor: Int32

    /// Nil when the process has no file descriptor left.
    init?() {
        descriptor = cloakroom_eventfd_create()
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func wake() {
        cloakroom_eventfd_signal(descriptor)
    }

    /// Forgets all wake-ups so far.
    func clear() {
        cloakroom_eventfd_clear(descriptor)
    }
}
