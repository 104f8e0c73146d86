internal import Basics
internal import CShims

/// Reports the clients that have closed their side of the connection.
///
/// libmicrohttpd misses the end of the client's side while a connection is suspended, and also when the last bytes and
/// the end come together (its epoll set is edge-triggered and does not ask for `EPOLLRDHUP`). A socket leaves this
/// watch when it is closed.
final class DisconnectWatch: Sendable {
    private let poller: Poller

    /// Makes a watch without sockets; nil when the process has no file descriptor left.
    init?() {
        guard let poller = try? Poller() else { return nil }
        self.poller = poller
    }

    /// Watches a socket; if the system has no memory for it, only the time limits end the connection.
    ///
    /// - Parameters:
    ///   - socket: An open socket.
    ///   - id: The connection's number in the registry, never reused.
    func add(_ socket: Int32, id: UInt64) {
        _ = poller.set(socket, EPOLLRDHUP.rawValue | EPOLLET.rawValue, token: id, isNew: true)
    }

    /// Ends the current wait, or the next one.
    func wake() {
        poller.wake()
    }

    /// Waits, at most for `milliseconds` (-1: for ever), and visits the connections whose clients have closed their
    /// side.
    func wait(milliseconds: Int32, _ visit: (_ id: UInt64) -> Void) {
        poller.wait(timeout: milliseconds) { id, _ in visit(id) }
    }
}
