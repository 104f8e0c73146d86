internal import Basics
internal import CShims
internal import Logs
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// Accepts connections on a thread of its own and deals them out to the daemons in turn.
final class Acceptor: Sendable {
    /// The number of idle connections to hang up when the process has no descriptor for the next one.
    ///
    /// More than one, because a freed descriptor goes to the connection that has waited longest to be accepted, which
    /// may be one more of a flood.
    private static let relief = 16

    /// The number of connections that are accepted between two looks at the end and at the log.
    private static let atOnce = 256

    private let core: ListenerCore
    private let socket: ListeningSocket
    private let daemons: [Daemon]
    private let oldest: OldestConnections
    private let poller: Poller
    private let isEnding = Atomic(false)

    /// Watches the listening socket; nil when the process has no file descriptor or no memory left.
    init?(_ core: ListenerCore, _ socket: ListeningSocket, _ daemons: [Daemon]) {
        guard let poller = try? Poller(), Self.watch(socket, poller) else { return nil }
        self.poller = poller
        self.core = core
        self.socket = socket
        self.daemons = daemons
        oldest = OldestConnections(daemons)
    }

    /// Makes `run` return.
    func end() {
        isEnding.store(true, ordering: .releasing)
        poller.wake()
    }

    /// Accepts until the end, then closes the socket.
    func run() {
        defer { close(socket.descriptor) }
        var number: UInt64 = 0
        var isShort = false
        var dropped = 0
        var warned: UInt64?
        while true {
            // Without descriptors or memory, the acceptor pauses instead of spinning: for 5 ms after it hung up idle
            // connections, whose descriptors are free as soon as their threads notice, and for 50 ms otherwise.
            if poller.wait(timeout: isShort ? (dropped > 0 ? 5 : 50) : -1, { _, _ in }) { return }
            var refused = 0
            let wasShort = isShort
            isShort = !acceptAll(&number, &refused)
            dropped = isShort && hasWaiting ? oldest.drop(upTo: Self.relief) : 0
            if isShort { poller.remove(socket.descriptor) } else if wasShort { isShort = !Self.watch(socket, poller) }
            guard isShort || refused > 0 else { continue }
            // At most one warning in 10 seconds: an attack must not fill the log.
            let now = MonotonicClock.now()
            guard warned.map({ now > $0 + 10_000 }) ?? true else { continue }
            warned = now
            core.logger.warning(
                isShort ? "no descriptors or memory to accept connections" : "too many connections, some were refused")
        }
    }

    /// True if a connection waits to be accepted.
    ///
    /// Without a free descriptor, accepting fails in the same way whether or not a connection waits.
    private var hasWaiting: Bool {
        var asked = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&asked, 1, 0) > 0
    }

    /// Adds the listening socket to the poller.
    ///
    /// - Returns: False when the system has no memory for it.
    private static func watch(_ socket: ListeningSocket, _ poller: Poller) -> Bool {
        poller.set(socket.descriptor, EPOLLIN.rawValue, token: 0, isNew: true) == 0
    }

    /// Accepts waiting connections, and counts the refused ones; the rest is accepted in the next turn.
    ///
    /// - Parameters:
    ///   - number: The number of the last connection; numbers are never reused.
    ///   - refused: The number of refused connections.
    /// - Returns: False when the process or the system has no descriptor or no memory for another connection.
    private func acceptAll(_ number: inout UInt64, _ refused: inout Int) -> Bool {
        for _ in 0..<Self.atOnce {
            // Near the limit each connection costs a turn of the event threads.
            if isEnding.load(ordering: .acquiring) { return true }
            var address = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let client = cloakroom_accept(socket.descriptor, &address, &length)
            guard client >= 0 else {
                switch errno {
                case EMFILE, ENFILE, ENOMEM, ENOBUFS: return false
                case EINTR, ECONNABORTED: continue
                default: return true
                }
            }
            let peer = withUnsafePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) { PeerAddress($0) }
            }
            // At the limit, the connection that has been idle longest is hung up to make room.
            guard core.counter.enter(peer, makesRoom: { oldest.drop(upTo: 1) > 0 }) else {
                refuse(client)
                refused += 1
                continue
            }
            number += 1
            daemons[Int(number % UInt64(daemons.count))].add(client, number, peer, address, length)
        }
        return true
    }

    /// Sends a 503 and closes the socket, without blocking.
    private func refuse(_ client: Int32) {
        let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
        let answer = core.response(for: .busy, to: nil)
        core.note(.busy, answer)
        RawResponse.bytes(answer).withUnsafeBytes { _ = send(client, $0.baseAddress, $0.count, flags) }
        shutdown(client, Int32(SHUT_WR))
        // Received bytes are read first: closing with unread bytes would reset the connection before the client has
        // read the answer.
        var scrap = (UInt64(0), UInt64(0), UInt64(0), UInt64(0))
        for _ in 0..<64 where recv(client, &scrap, MemoryLayout.size(ofValue: scrap), Int32(MSG_DONTWAIT)) > 0 {}
        close(client)
    }
}
