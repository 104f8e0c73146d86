import Glibc

/// A port of this machine that the system gives to nobody else while this exists.
///
/// A server that allows the reuse of addresses can listen on it, because this socket is bound and does not listen.
final class ReservedPort: Sendable {
    let number: UInt16
    private let socket: Int32

    /// Reserves a free port of 127.0.0.1.
    init() throws {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        self.socket = socket
        var on: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, size) == 0 && getsockname(socket, $0, &size) == 0
            }
        }
        number = UInt16(bigEndian: address.sin_port)
        guard isBound else { throw RedisServer.NoAnswer(code: errno) }
    }

    deinit {
        close(socket)
    }
}
