internal import CShims

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// Tells which clients have closed their side of the connection.
///
/// libmicrohttpd misses that while a connection is suspended, and also when the last bytes and the end come together (its
/// epoll set is edge-triggered and does not ask for `EPOLLRDHUP`). A socket leaves the set by being closed.
final class DisconnectWatch: Sendable {
    private let poller: Int32
    private let waker: Waker

    /// Nil when the process has no file descriptor left.
    init?() {
        poller = cloakroom_epoll_create()
        guard poller >= 0, let waker = Waker() else {
            if poller >= 0 { close(poller) }
            return nil
        }
        self.waker = waker
        _ = cloakroom_epoll_control(poller, EPOLL_CTL_ADD, waker.descriptor, EPOLLIN.rawValue, 0)
    }

    deinit {
        if poller >= 0 { close(poller) }
    }

    /// Watches a socket; without memory for it, the client's going away is noticed by its limits only.
    ///
    /// - Parameters:
    ///   - socket: Open.
    ///   - id: Not 0, never used again.
    func add(_ socket: Int32, id: UInt64) {
        let events = EPOLLRDHUP.rawValue | EPOLLET.rawValue
        _ = cloakroom_epoll_control(poller, EPOLL_CTL_ADD, socket, events, id)
    }

    /// Ends the wait that is under way, or the next one.
    func wake() {
        waker.wake()
    }

    /// Waits, at most for `milliseconds` (-1: for ever), and visits the connections whose clients have gone.
    func wait(milliseconds: Int32, _ visit: (_ id: UInt64) -> Void) {
        withUnsafeTemporaryAllocation(of: cloakroom_event.self, capacity: Int(cloakroom_event_capacity)) {
            events in
            guard let first = events.baseAddress else { return }
            let count = cloakroom_epoll_wait(poller, first, milliseconds)
            guard count > 0 else { return }
            for event in events[..<Int(count)] {
                if event.token == 0 { waker.clear() } else { visit(event.token) }
            }
        }
    }
}
