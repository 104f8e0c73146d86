internal import Cryptography

/// Ids in PingOne's forms, derived from names: equal names give equal ids.
enum PingOneID {
    /// 32 hexadecimal digits, the form of connection and flow ids.
    static func hex(_ name: String) -> String {
        let digits = Array("0123456789abcdef")
        return String(Digest.hash(utf8: name).prefix(16).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] })
    }

    /// A UUID, the form of user and environment ids.
    static func uuid(_ name: String) -> String {
        let hex = Array(hex(name))
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(hex[$0]) }.joined(separator: "-")
    }

    /// `sub` of a user.
    static func subject(_ user: String) -> String { uuid("user " + user) }
}
