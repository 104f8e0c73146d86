internal import Basics
internal import CShims

/// Tells which clients have closed their side of the connection.
///
/// libmicrohttpd misses that while a connection is suspended, and also when the last bytes and the end come together (its
/// epoll set is edge-triggered and does not ask for `EPOLLRDHUP`). A socket leaves the set by being closed.
final class DisconnectWatch: Sendable {
    private let poller: Poller

    /// Nil when the process has no file descriptor left.
    init?() {
        guard let poller = try? Poller() else { return nil }
        self.poller = poller
    }

    /// Watches a socket; without memory for it, the client's going away is noticed by its limits only.
    ///
    /// - Parameters:
    ///   - socket: Open.
    ///   - id: Never used again.
    func add(_ socket: Int32, id: UInt64) {
        _ = poller.set(socket, EPOLLRDHUP.rawValue | EPOLLET.rawValue, token: id, isNew: true)
    }

    /// Ends the wait that is under way, or the next one.
    func wake() {
        poller.wake()
    }

    /// Waits, at most for `milliseconds` (-1: for ever), and visits the connections whose clients have gone.
    func wait(milliseconds: Int32, _ visit: (_ id: UInt64) -> Void) {
        poller.wait(timeout: milliseconds) { id, _ in visit(id) }
    }
}
