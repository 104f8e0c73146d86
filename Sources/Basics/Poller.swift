internal import CShims

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// An epoll instance, and the event descriptor that wakes the thread that waits for it.
///
/// Both are closed with the object.
package final class Poller: Sendable {
    private let poller: Int32
    private let wakeUp: Int32
    private static let wakeToken = UInt64.max

    /// Makes a poller without descriptors.
    ///
    /// - Throws: `SystemCallError`, when the process or the system has no file descriptor left.
    package init() throws(SystemCallError) {
        poller = cloakroom_epoll_create()
        guard poller >= 0 else { throw SystemCallError(code: errno) }
        wakeUp = cloakroom_eventfd_create()
        // From here on `deinit` closes what is open, also when this throws.
        guard wakeUp >= 0 else { throw SystemCallError(code: errno) }
        let code = cloakroom_epoll_control(poller, EPOLL_CTL_ADD, wakeUp, EPOLLIN.rawValue, Self.wakeToken)
        guard code == 0 else { throw SystemCallError(code: code) }
    }

    deinit {
        close(poller)
        if wakeUp >= 0 { close(wakeUp) }
    }

    /// Ends the wait under way, or the next one; callable from any thread.
    package func wake() {
        cloakroom_eventfd_signal(wakeUp)
    }

    /// Sets the events to watch of a descriptor, replacing earlier ones.
    ///
    /// - Parameters:
    ///   - descriptor: An open descriptor; one that is closed leaves by itself.
    ///   - events: The bits of epoll; not 0.
    ///   - token: Returned with each event; not the greatest value.
    ///   - isNew: True if the descriptor is not watched yet, as far as the caller knows.
    /// - Returns: 0, or the errno.
    package func set(_ descriptor: Int32, _ events: UInt32, token: UInt64, isNew: Bool) -> Int32 {
        func control(_ operation: Int32) -> Int32 {
            cloakroom_epoll_control(poller, operation, descriptor, events, token)
        }
        // A descriptor that was closed without a word has left epoll, and its number may be another's.
        if isNew {
            let code = control(EPOLL_CTL_ADD)
            return code == EEXIST ? control(EPOLL_CTL_MOD) : code
        }
        let code = control(EPOLL_CTL_MOD)
        return code == ENOENT ? control(EPOLL_CTL_ADD) : code
    }

    /// Stops watching a descriptor; one that is already closed has left epoll by itself.
    package func remove(_ descriptor: Int32) {
        _ = cloakroom_epoll_control(poller, EPOLL_CTL_DEL, descriptor, 0, 0)
    }

    /// Waits for events, and visits at most 64 of them.
    ///
    /// - Parameters:
    ///   - timeout: Milliseconds; 0 looks without waiting, -1 waits for ever.
    ///   - visit: Receives the token and the epoll bits of each event; may set and remove descriptors.
    /// - Returns: True if `wake` ended the wait.
    @discardableResult
    package func wait(timeout: Int32, _ visit: (_ token: UInt64, _ events: UInt32) -> Void) -> Bool {
        withUnsafeTemporaryAllocation(of: cloakroom_event.self, capacity: Int(cloakroom_event_capacity)) { events in
            let count = cloakroom_epoll_wait(poller, events.baseAddress, timeout)
            precondition(count >= 0 || count == -EINTR, "epoll_wait fails only for a bad descriptor")
            var isWoken = false
            for event in events[..<max(0, Int(count))] {
                if event.token == Self.wakeToken {
                    cloakroom_eventfd_clear(wakeUp)
                    isWoken = true
                } else {
                    visit(event.token, event.events)
                }
            }
            return isWoken
        }
    }
}
