internal import Cryptography

/// Ids in the forms that PingOne gives them, always the same for the same name.
enum PingOneID {
    /// 32 hexadecimal digits, as connections and flows are named.
    static func hex(_ name: String) -> String {
        let digits = Array("0123456789abcdef")
        return String(Digest.hash(utf8: name).prefix(16).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] })
    }

    /// A UUID, as users and environments are named.
    static func uuid(_ name: String) -> String {
        let hex = Array(hex(name))
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(hex[$0]) }.joined(separator: "-")
    }

    /// `sub` of a user.
    static func subject(_ user: String) -> String { uuid("user " + user) }
}
