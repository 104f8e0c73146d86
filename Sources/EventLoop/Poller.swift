internal import CShims

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// An epoll instance and the event descriptor that wakes it.
///
/// Closed with the object. The token of each watch carries a generation, so that an event fetched for a descriptor
/// that was closed and whose number was taken again in the same turn reaches nobody.
final class Poller: Sendable {
    private let poller: Int32
    private let wakeUp: Int32
    private static let wakeToken = UInt64.max

    init() throws(EventThreadError) {
        poller = cloakroom_epoll_create()
        guard poller >= 0 else { throw .unavailable(code: errno) }
        wakeUp = cloakroom_eventfd_create()
        guard wakeUp >= 0 else {
            let code = errno
            close(poller)
            throw .unavailable(code: code)
        }
        let code = cloakroom_epoll_control(poller, EPOLL_CTL_ADD, wakeUp, EPOLLIN.rawValue, Self.wakeToken)
        guard code == 0 else {
            close(poller)
            close(wakeUp)
            throw .unavailable(code: code)
        }
    }

    deinit {
        close(poller)
        close(wakeUp)
    }

    /// Ends the wait under way, or the next one; callable from any thread.
    func wake() {
        cloakroom_eventfd_signal(wakeUp)
    }

    /// Asks for a descriptor's readiness from now on, in place of what was asked before.
    ///
    /// - Parameters:
    ///   - descriptor: An open descriptor.
    ///   - interest: Not empty.
    ///   - token: Comes back with each event.
    ///   - isNew: Whether nothing was asked before, as far as is known.
    /// - Returns: 0, or the errno.
    func set(_ descriptor: Int32, _ interest: Readiness, token: UInt64, isNew: Bool) -> Int32 {
        func control(_ operation: Int32) -> Int32 {
            cloakroom_epoll_control(poller, operation, descriptor, interest.epollEvents, token)
        }
        // A descriptor that was closed without a word has left epoll, and its number may be another's.
        if isNew {
            let code = control(EPOLL_CTL_ADD)
            return code == EEXIST ? control(EPOLL_CTL_MOD) : code
        }
        let code = control(EPOLL_CTL_MOD)
        return code == ENOENT ? control(EPOLL_CTL_ADD) : code
    }

    /// Asks no longer; a descriptor that is closed already has left epoll by itself.
    func remove(_ descriptor: Int32) {
        _ = cloakroom_epoll_control(poller, EPOLL_CTL_DEL, descriptor, 0, 0)
    }

    /// Waits for events.
    ///
    /// - Parameters:
    ///   - timeout: Milliseconds; 0 looks without waiting, -1 waits for ever.
    ///   - events: Room for what is ready.
    /// - Returns: The number of events; the wake-up is not one.
    func wait(timeout: Int32, _ events: inout [cloakroom_event]) -> Int {
        let count = events.withUnsafeMutableBufferPointer { buffer in
            cloakroom_epoll_wait(poller, buffer.baseAddress, timeout)
        }
        precondition(count >= 0 || count == -EINTR, "epoll_wait fails only for a bad descriptor")
        var kept = 0
        for index in 0..<max(0, Int(count)) {
            if events[index].token == Self.wakeToken {
                cloakroom_eventfd_clear(wakeUp)
            } else {
                events[kept] = events[index]
                kept += 1
            }
        }
        return kept
    }
}
