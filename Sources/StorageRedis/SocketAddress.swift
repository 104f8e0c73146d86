#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// An address as the system takes it.
struct SocketAddress: Sendable, Equatable {
    private let family: Int32
    private let bytes: [UInt8]

    /// The address of a socket of this machine.
    init(path: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { place in
            for (index, byte) in path.utf8.prefix(place.count - 1).enumerated() { place[index] = byte }
        }
        family = AF_UNIX
        bytes = withUnsafeBytes(of: &address) { Array($0) }
    }

    private init(family: Int32, bytes: [UInt8]) {
        self.family = family
        self.bytes = bytes
    }

    /// The addresses of a host, at most eight; blocks unless it is given as a number.
    static func find(_ host: String, _ port: UInt16, numeric: Bool) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV | (numeric ? AI_NUMERICHOST : AI_ADDRCONFIG)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &found) == 0 else { return [] }
        defer { freeaddrinfo(found) }
        var addresses: [SocketAddress] = []
        var next = found
        while let entry = next, addresses.count < 8 {
            if let address = entry.pointee.ai_addr {
                let bytes = UnsafeRawBufferPointer(start: address, count: Int(entry.pointee.ai_addrlen))
                addresses.append(SocketAddress(family: entry.pointee.ai_family, bytes: Array(bytes)))
            }
            next = entry.pointee.ai_next
        }
        return addresses
    }

    /// Begins to connect a new socket that does not block.
    ///
    /// - Returns: The socket, or the error number.
    func connect() -> Result<Int32, WireError> {
        let kind = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        let descriptor = socket(family, Int32(kind), 0)
        guard descriptor >= 0 else { return .failure(.system(errno)) }
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        if family != AF_UNIX {
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size)
            setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, size)
        }
        let code = bytes.withUnsafeBytes { address -> Int32 in
            guard let base = address.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return EINVAL }
            return Glibc.connect(descriptor, base, socklen_t(address.count)) == 0 ? 0 : errno
        }
        guard code == 0 || code == EINPROGRESS else {
            close(descriptor)
            return .failure(.system(code))
        }
        return .success(descriptor)
    }

    /// The error of a socket that became ready; 0 for none.
    static func error(of descriptor: Int32) -> Int32 {
        var (code, size): (Int32, socklen_t) = (0, socklen_t(MemoryLayout<Int32>.size))
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 ? code : errno
    }
}
