#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// The two ends of a connection.
struct ConnectionName: Hashable {
    let localAddress: String
    let localPort: Int
    let remoteAddress: String
    let remotePort: Int
}

/// The sockets of connections that libcurl keeps for later requests.
///
/// libcurl drops a kept connection that was closed, but reuses one that has unread bytes: a late `408`, or the answer
/// to a request that an attacker smuggled in, would be taken for the answer to the next request.
struct KeptConnections {
    private var sockets: [ConnectionName: Int32] = [:]
    private var names: [Int32: ConnectionName] = [:]

    init() {}

    /// Adds the socket of a connection that may be used again.
    mutating func note(_ name: ConnectionName, socket: Int32) {
        forget(socket)
        if let previous = sockets.updateValue(socket, forKey: name) { names[previous] = nil }
        names[socket] = name
    }

    /// True if the socket belongs to a kept connection.
    func holds(_ socket: Int32) -> Bool { names[socket] != nil }

    /// Removes a socket that is being closed.
    mutating func forget(_ socket: Int32) {
        if let name = names.removeValue(forKey: socket) { sockets[name] = nil }
    }

    /// True if the connection is open and nothing has arrived on it; false for an unknown connection.
    func isQuiet(_ name: ConnectionName) -> Bool {
        guard let socket = sockets[name] else { return false }
        var byte: UInt8 = 0
        let count = recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
        return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)
    }
}
