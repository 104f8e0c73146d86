internal import BFF
internal import HTTPServer

/// What callers are counted under: hashes under a seed of this process, so that nobody can choose one and nothing secret is
/// kept.
enum CallerKey {
    /// One client address; of IPv6 the /64, because whoever has one address there has all of them.
    static func peer(_ address: PeerAddress) -> UInt64 {
        hash(0, address.family == .v6 ? Array(address.bytes.prefix(8)) : address.bytes)
    }

    /// One browser session, by the part of the cookie that names it: a new secret is not a new session.
    static func session(_ cookie: String) -> UInt64 { hash(1, tag(cookie)) }

    /// One flow of a session.
    static func flow(_ flow: String, _ cookie: String) -> UInt64 { hash(2, tag(cookie) + [0] + flow.utf8) }

    /// Whoever a gateway asks for, by its words.
    static func gateway(_ name: String) -> UInt64 { hash(3, Array(name.utf8)) }

    /// A name of a user, however it is spelt.
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
