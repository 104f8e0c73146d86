internal import BFF
internal import HTTPServer

/// The keys under which callers are counted: hashes with a seed of this process, so no caller can choose its key and no
/// secret is kept.
enum CallerKey {
    /// The key of one client address; of IPv6 of its /64, because the owner of one address has all addresses of the
    /// /64.
    static func peer(_ address: PeerAddress) -> UInt64 {
        hash(0, address.family == .v6 ? Array(address.bytes.prefix(8)) : address.bytes)
    }

    /// The key of one browser session that its cookie opens, from the cookie's tag: a new secret does not make a new
    /// session.
    static func session(_ cookie: String) -> UInt64 { hash(1, tag(cookie)) }

    /// The key of one cookie: others know the tag of a session from a cookie that is no longer good, and must not use up
    /// what its user may do.
    static func cookie(_ cookie: String) -> UInt64 { hash(5, Array(cookie.utf8)) }

    /// The key of one flow of a session.
    static func flow(_ flow: String, _ cookie: String) -> UInt64 { hash(2, tag(cookie) + [0] + flow.utf8) }

    /// The key of a client that a gateway asks for, from the text of `GatewayClient`.
    static func gateway(_ name: String) -> UInt64 { hash(3, Array(name.utf8)) }

    /// The key of a user name, independent of its spelling.
    static func name(_ name: String) -> UInt64 { hash(4, UserName.folded(name)) }

    private static func hash(_ kind: UInt8, _ bytes: [UInt8]) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(kind)
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    private static func tag(_ cookie: String) -> [UInt8] {
        Array(cookie.utf8.prefix { $0 != UInt8(ascii: ".") })
    }
}
