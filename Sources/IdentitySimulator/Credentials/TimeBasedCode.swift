internal import Basics
internal import Cryptography

/// A time-based one-time code (RFC 6238) with HMAC-SHA-256: six digits, each valid for thirty seconds.
struct TimeBasedCode {
    let key: [UInt8]

    /// The code at an instant.
    func code(at time: Timestamp) -> String {
        // Rounded down, before 1970 too, where the bits of a negative number of steps are counted.
        let counter = UInt64(bitPattern: (time.seconds - (time.seconds % 30 + 30) % 30) / 30)
        let mac = HMACKey(key).authenticate(withUnsafeBytes(of: counter.bigEndian) { Array($0) })
        let offset = Int(mac[mac.count - 1] & 0xF)
        let number = mac[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let digits = String(number % 1_000_000)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }

    /// The URI for authenticator apps, with the key in Base32 (RFC 4648 section 6), which needs no padding for a
    /// multiple of five bytes.
    func uri(_ user: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        let secret = stride(from: 0, to: key.count - 4, by: 5).flatMap { start in
            let bits = key[start..<start + 5].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return (0..<8).map { alphabet[Int(bits >> (35 - 5 * UInt64($0)) & 31)] }
        }
        return "otpauth://totp/Simulator:\(user)?secret=\(String(secret))"
            + "&issuer=Simulator&algorithm=SHA256&digits=6&period=30"
    }
}
