#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

extension PeerAddress {
    /// Reads an IPv4 or IPv6 socket address; nil and other families make an unknown address.
    init(_ address: UnsafePointer<sockaddr>?) {
        guard let address else {
            self.init(bytes: [])
            return
        }
        let raw = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            let value = raw.loadUnaligned(as: sockaddr_in.self).sin_addr
            self.init(bytes: withUnsafeBytes(of: value) { Array($0) })
        case AF_INET6:
            let value = raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            self.init(bytes: withUnsafeBytes(of: value) { Array($0) })
        default:
            self.init(bytes: [])
        }
    }
}
