import Basics
import COpenSSL
import HTTPCore

/// The code of a user with a key for RFC 6238 (SHA-1, six digits, half a minute).
enum OneTimeCode {
    private static let taken = Locked<Set<String>>([])

    /// A user whose code of this half minute nobody has used, and that code.
    static func next(of settings: AMSettings) throws -> (user: String, code: String) {
        let step = SystemTime().now().seconds / 30
        let free = taken.withLock { taken in
            let free = settings.oneTimeUsers.first { !taken.contains("\($0) \(step)") }
            if let free { taken.insert("\(free) \(step)") }
            return free
        }
        guard let free else { throw LiveNode.Missing(description: "every user with a code has used it") }
        return (free, code(key: Array(settings.oneTimeKey.utf8), step: UInt64(step)))
    }

    /// The key in an address that authenticator apps read: base32 of RFC 4648, in `secret`.
    static func key(ofAuthenticator uri: String) throws -> [UInt8] {
        let query = uri.split(separator: "?").last.flatMap { QueryParameters(parsing: $0) }
        guard uri.hasPrefix("otpauth://totp/"), let secret = query?.single("secret") else {
            throw LiveNode.Missing(description: "\(uri) has no key")
        }
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
        let bits = secret.utf8.filter { $0 != UInt8(ascii: "=") }.flatMap { digit -> [UInt8] in
            let value = alphabet.firstIndex(of: digit) ?? 0
            return (0..<5).reversed().map { UInt8(value >> $0 & 1) }
        }
        return (0..<(bits.count / 8)).map { byte in bits[(byte * 8)..<(byte * 8 + 8)].reduce(0) { $0 << 1 | $1 } }
    }

    /// RFC 4226 section 5.3.
    ///
    /// SHA-1 comes from the library: the product has no use for it.
    static func code(key: [UInt8], step: UInt64) -> String {
        let counter = (0..<8).map { UInt8(truncatingIfNeeded: step >> (56 - 8 * UInt64($0))) }
        var mac = [UInt8](repeating: 0, count: 20)
        var count = 0
        let done = EVP_Q_mac(
            nil, "HMAC", nil, "SHA1", nil, key, key.count, counter, counter.count, &mac, mac.count, &count)
        precondition(done != nil && count == 20, "HMAC-SHA-1 is always there")
        let offset = Int(mac[19] & 15)
        let word = mac[offset..<(offset + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let digits = String(word % 1_000_000)
        return String(repeating: "0", count: 6 - digits.utf8.count) + digits
    }
}
