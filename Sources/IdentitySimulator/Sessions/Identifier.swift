internal import Cryptography

/// Makes random identifiers that cannot be guessed.
enum Identifier {
    /// A number of random bytes in base64url.
    static func random(_ count: Int) -> String { SecureRandom.token(count) }

    /// A random identifier in the form of a UUID, which AM's tracking ids have.
    static func tracking() -> String {
        let digits = Array("0123456789abcdef")
        let hex = SecureRandom.bytes(16).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] }
        let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(hex[$0]) }
        return groups.joined(separator: "-")
    }
}
