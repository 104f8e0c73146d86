internal import Cryptography

/// Makes random texts, which name things that nobody may guess.
enum Identifier {
    /// Base64url of so many random bytes.
    static func random(_ count: Int) -> String { SecureRandom.token(count) }

    /// In the form of a UUID, as AM writes tracking ids.
    static func tracking() -> String {
        let digits = Array("0123456789abcdef")
        let hex = SecureRandom.bytes(16).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] }
        let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(hex[$0]) }
        return groups.joined(separator: "-")
    }
}
