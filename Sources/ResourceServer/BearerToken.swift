internal import Basics

/// The bearer token of a request, sent in its one `Authorization` field (RFC 6750 section 2.1).
package struct BearerToken: Sendable {
    /// The maximum length of a token; a longer token is refused.
    private static let maximumBytes = 32 * 1024
    private static let scheme = Array("bearer".utf8)

    /// The bytes of the token: plain ASCII.
    let bytes: [UInt8]
    /// True if the token has the three parts of a compact JWS.
    let hasThreeParts: Bool

    /// The digest that is the token's key in caches.
    var digest: TokenDigest { bytes.withUnsafeBytes { TokenDigest($0) } }

    /// The token as text.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Checks the form of a token and copies its bytes out of the field.
    ///
    /// - Throws: `BearerTokenError` if the token is not a `b64token`.
    init(_ token: UnsafeBufferPointer<UInt8>) throws(BearerTokenError) {
        guard let dots = Self.dots(in: token) else { throw BearerTokenError() }
        bytes = Array(token)
        hasThreeParts = dots == 2
    }

    /// Finds the token in a field without checking the token's form.
    ///
    /// - Parameter field: The value of the one `Authorization` field.
    /// - Returns: The bytes after the scheme; nil if the scheme is not `Bearer`.
    /// - Throws: `BearerTokenError` if nothing follows the scheme.
    static func find(
        in field: UnsafeBufferPointer<UInt8>
    ) throws(BearerTokenError) -> UnsafeBufferPointer<UInt8>? {
        let blank = UInt8(ascii: " ")
        var start = 0
        while start < field.count, field[start] == blank { start += 1 }
        let end = start + scheme.count
        guard end <= field.count else { return nil }
        for (index, byte) in scheme.enumerated() where field[start + index] | 0x20 != byte { return nil }
        guard end < field.count else { throw BearerTokenError() }
        // rule: the scheme ends where a blank stands
        guard field[end] == blank else { return nil }
        // Any number of spaces may stand between scheme and token (RFC 6750 section 2.1).
        var token = end + 1
        while token < field.count, field[token] == blank { token += 1 }
        return UnsafeBufferPointer(rebasing: field[token...])
    }

    /// Counts the dots of a `b64token`; nil if the bytes are none.
    ///
    /// A `b64token` has letters, digits and some signs, followed by any number of `=`.
    private static func dots(in token: UnsafeBufferPointer<UInt8>) -> Int? {
        // rule: a token has no more than 32 KiB
        guard token.count <= maximumBytes else { return nil }
        var count = token.count
        while count > 0, token[count - 1] == UInt8(ascii: "=") { count -= 1 }
        // rule: a token is more than its padding
        guard count > 0 else { return nil }
        let sum = kinds.withUnsafeBufferPointer { kinds in
            var sum = 0
            for index in 0..<count { sum &+= kinds[Int(token[index])] }
            return sum
        }
        return sum < strange ? sum : nil
    }

    /// The number that each byte adds to the sum in `dots(in:)`.
    ///
    /// A table costs one look-up and one addition per byte; every request pays that.
    private static let kinds: [Int] = (0...255 as ClosedRange<UInt8>).map { byte in
        byte == UInt8(ascii: ".") ? 1 : isTokenByte(byte) ? 0 : strange
    }

    /// True if a token may contain the byte before the `=` at its end (RFC 6750 section 2.1).
    package static func isTokenByte(_ byte: UInt8) -> Bool {
        byte.isWordByte || ".~+/".utf8.contains(byte)
    }

    /// A sum larger than the number of dots that a token can have; marks bytes that no token may contain.
    private static let strange = maximumBytes + 1
}

/// The request does not carry exactly one well-formed token.
struct BearerTokenError: Error {}
