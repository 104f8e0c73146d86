import Basics
import Cryptography
import HTTPCore
import Testing

/// An app that shows codes: it reads the address of a QR code, and goes by RFC 6238 with what that says.
struct AuthenticatorApp {
    private let key: [UInt8]
    private let digits: Int
    private let period: Int64

    /// Reads an address, as `otpauth://totp/…?secret=…` has it.
    init(scanning uri: String) throws {
        let query = try #require(QueryParameters(parsing: uri.split(separator: "?", maxSplits: 1).last ?? ""))
        #expect(uri.hasPrefix("otpauth://totp/") && query.single("algorithm") == "SHA256")
        var (bits, count, key) = (UInt32(0), 0, [UInt8]())
        for letter in try #require(query.single("secret")).utf8 {
            let value = letter >= 0x41 ? letter - 0x41 : letter - 0x32 + 26
            bits = bits << 5 | UInt32(value)
            count += 5
            if count >= 8 {
                count -= 8
                key.append(UInt8(bits >> UInt32(count) & 0xFF))
            }
        }
        self.key = key
        digits = try #require(query.single("digits").flatMap { Int($0) })
        period = try #require(query.single("period").flatMap { Int64($0) })
    }

    /// What it shows at an instant.
    func code(at time: Timestamp) -> String {
        var counter = time.seconds / period
        var message = [UInt8](repeating: 0, count: 8)
        for index in message.indices.reversed() {
            message[index] = UInt8(counter & 0xFF)
            counter >>= 8
        }
        let mac = HMACKey(key).authenticate(message)
        let start = Int(mac[31] & 15)
        let value = (0..<4).reduce(0) { $0 * 256 + Int(mac[start + $1]) } & 0x7FFF_FFFF
        let text = String(String(value).suffix(digits))
        return String(repeating: "0", count: digits - text.count) + text
    }
}
