internal import Basics
internal import Glibc

/// A TCP server on loopback that says whatever a test scripts, byte by byte: answers no proper server would give.
///
/// The script runs once per connection on a thread of its own and may block. `stop` ends all of them.
public final class ScriptedPeer: Sendable {
    /// The port it listens on.
    public let port: UInt16
    /// The address to call: `http://127.0.0.1:port` or `http://[::1]:port`.
    public let origin: String

    private struct State {
        var connections: [PeerConnection] = []
        var requests: [PeerRequest] = []
        var ended = 0
        var stopped = false
        var watchers: [Watcher] = []
    }

    private struct Watcher {
        let isDue: @Sendable (_ requests: Int, _ ended: Int) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private let listener: Int32
    private let state = Locked(State())

    /// Listens on a free port of loopback.
    ///
    /// - Parameters:
    ///   - ipv6: On `::1` in place of `127.0.0.1`.
    ///   - script: What to do with each connection; the connection closes when it returns.
    /// - Throws: `SocketError` with the errno.
    public init(ipv6: Bool = false, _ script: @escaping @Sendable (PeerConnection) -> Void) throws(SocketError) {
        (listener, port) = try Self.listen(ipv6: ipv6)
        origin = ipv6 ? "http://[::1]:\(port)" : "http://127.0.0.1:\(port)"
        let listener = listener
        startThread { [weak self] in
            while true {
                let socket = accept(listener, nil, nil)
                if socket < 0, errno == EINTR || errno == ECONNABORTED { continue }
                guard socket >= 0 else { break }
                guard let self, let connection = self.adopt(socket) else {
                    close(socket)
                    break
                }
                startThread {
                    script(connection)
                    connection.close()
                    self.noteEnd()
                }
            }
            close(listener)
        }
    }

    deinit {
        stop()
    }

    /// Every request read so far, in order.
    public var requests: [PeerRequest] { state.withLock { $0.requests } }

    /// The number of connections accepted so far.
    public var connectionCount: Int { state.withLock { $0.connections.count } }

    /// Waits until scripts have read this many requests in all.
    public func waitForRequests(_ count: Int) async {
        await wait { requests, _ in requests >= count }
    }

    /// Waits until this many connections have ended, by either side.
    public func waitForEnds(_ count: Int) async {
        await wait { _, ended in ended >= count }
    }

    /// Stops listening and ends every connection; a script that blocks on one sees its end.
    public func stop() {
        let connections = state.withLock { state -> [PeerConnection] in
            guard !state.stopped else { return [] }
            state.stopped = true
            shutdown(listener, Int32(SHUT_RDWR))
            return state.connections
        }
        for connection in connections { connection.hangUp() }
    }

    private func adopt(_ socket: Int32) -> PeerConnection? {
        state.withLock { state in
            guard !state.stopped else { return nil }
            let connection = PeerConnection(socket, number: state.connections.count + 1) { [weak self] request in
                self?.note(request)
            }
            state.connections.append(connection)
            return connection
        }
    }

    private func note(_ request: PeerRequest) {
        change { $0.requests.append(request) }
    }

    private func noteEnd() {
        change { $0.ended += 1 }
    }

    private func change(_ body: (inout State) -> Void) {
        let due = state.withLock { state in
            body(&state)
            let (requests, ended) = (state.requests.count, state.ended)
            let due = state.watchers.filter { $0.isDue(requests, ended) }
            state.watchers.removeAll { $0.isDue(requests, ended) }
            return due
        }
        for watcher in due { watcher.continuation.resume() }
    }

    private func wait(until isDue: @escaping @Sendable (_ requests: Int, _ ended: Int) -> Bool) async {
        await withCheckedContinuation { continuation in
            let due = state.withLock { state in
                if isDue(state.requests.count, state.ended) { return true }
                state.watchers.append(Watcher(isDue: isDue, continuation: continuation))
                return false
            }
            if due { continuation.resume() }
        }
    }

    private static func listen(ipv6: Bool) throws(SocketError) -> (socket: Int32, port: UInt16) {
        let listener = socket(ipv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard listener >= 0 else { throw SocketError(code: errno) }
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let port = withUnsafeMutableBytes(of: &storage) { bytes -> UInt16? in
            guard let base = bytes.baseAddress else { return nil }
            let address = base.assumingMemoryBound(to: sockaddr.self)
            if ipv6 {
                let v6 = base.assumingMemoryBound(to: sockaddr_in6.self)
                v6.pointee.sin6_family = sa_family_t(AF_INET6)
                v6.pointee.sin6_addr = in6addr_loopback
                length = socklen_t(MemoryLayout<sockaddr_in6>.size)
            } else {
                let v4 = base.assumingMemoryBound(to: sockaddr_in.self)
                v4.pointee.sin_family = sa_family_t(AF_INET)
                v4.pointee.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
                length = socklen_t(MemoryLayout<sockaddr_in>.size)
            }
            guard bind(listener, address, length) == 0, Glibc.listen(listener, 128) == 0,
                getsockname(listener, address, &length) == 0
            else { return nil }
            // The port sits at the same place in both kinds of address.
            return UInt16(bigEndian: base.assumingMemoryBound(to: sockaddr_in.self).pointee.sin_port)
        }
        guard let port else {
            let code = errno
            close(listener)
            throw SocketError(code: code)
        }
        return (listener, port)
    }
}

/// A socket call failed; `code` is the errno.
public struct SocketError: Error, Sendable {
    /// The errno.
    public let code: Int32
}

/// Runs the body on a new detached thread.
func startThread(_ body: @escaping @Sendable () -> Void) {
    guard let thread = try? NativeThread("test-peer", body) else { preconditionFailure("no thread for a test peer") }
    thread.detach()
}
