#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// A bound TCP socket that accepts connections.
struct ListeningSocket: Sendable {
    let descriptor: Int32
    let port: UInt16

    /// Binds the address and listens on it.
    ///
    /// - Throws: `.setting` when the address is not an IP address, `.bind` with the system's error number.
    init(address: String, port: UInt16) throws(ListenerError) {
        var storage = sockaddr_storage()
        guard let length = Self.fill(&storage, address, port) else { throw .setting("address") }
        let descriptor = socket(
            Int32(storage.ss_family), Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .bind(errno: errno) }
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        var bound = length
        let isBound = withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && listen(descriptor, 1024) == 0
                    && getsockname(descriptor, address, &bound) == 0
            }
        }
        guard isBound else {
            let reason = errno
            close(descriptor)
            throw .bind(errno: reason)
        }
        self.descriptor = descriptor
        // The port has the same offset in both address families.
        self.port = withUnsafeBytes(of: &storage) {
            UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        }
    }

    private static func fill(_ storage: inout sockaddr_storage, _ address: String, _ port: UInt16) -> socklen_t? {
        withUnsafeMutableBytes(of: &storage) { bytes in
            guard let base = bytes.baseAddress else { return nil }
            var v4 = sockaddr_in()
            if inet_pton(AF_INET, address, &v4.sin_addr) == 1 {
                v4.sin_family = sa_family_t(AF_INET)
                v4.sin_port = port.bigEndian
                base.storeBytes(of: v4, as: sockaddr_in.self)
                return socklen_t(MemoryLayout<sockaddr_in>.size)
            }
            var v6 = sockaddr_in6()
            if inet_pton(AF_INET6, address, &v6.sin6_addr) == 1 {
                v6.sin6_family = sa_family_t(AF_INET6)
                v6.sin6_port = port.bigEndian
                base.storeBytes(of: v6, as: sockaddr_in6.self)
                return socklen_t(MemoryLayout<sockaddr_in6>.size)
            }
            return nil
        }
    }
}
