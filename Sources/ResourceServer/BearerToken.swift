internal import Basics

/// The bearer token of a request (RFC 6750 section 2.1): in the `Authorization` field, once.
package struct BearerToken: Sendable {
    /// The longest token that is looked at.
    private static let maximumBytes = 32 * 1024
    private static let scheme = Array("bearer".utf8)

    /// The token: plain ASCII.
    let bytes: [UInt8]
    /// Whether it has the three parts of a compact JWS.
    let hasThreeParts: Bool

    /// What caches know it by.
    var digest: TokenDigest { bytes.withUnsafeBytes { TokenDigest($0) } }

    /// The token as text.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Takes a token out of the field that it came in.
    ///
    /// - Throws: For what is not of the form.
    init(_ token: UnsafeBufferPointer<UInt8>) throws(BearerTokenError) {
        guard let dots = Self.dots(in: token) else { throw BearerTokenError() }
        bytes = Array(token)
        hasThreeParts = dots == 2
    }

    /// Where in a field the token stands; its form is still to be looked at.
    ///
    /// - Parameter field: The value of the one `Authorization` field.
    /// - Returns: What follows the scheme; nil when the scheme is another.
    /// - Throws: When nothing follows.
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
        // Any number of spaces may stand between the two (RFC 6750 section 2.1).
        var token = end + 1
        while token < field.count, field[token] == blank { token += 1 }
        return UnsafeBufferPointer(rebasing: field[token...])
    }

    /// How many dots a `b64token` has: letters, digits and some signs, and after them any number of `=`; nil for anything
    /// else.
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

    /// What a byte counts for: one look and one addition for each, because this is done on every request.
    private static let kinds: [Int] = (0...255 as ClosedRange<UInt8>).map { byte in
        byte == UInt8(ascii: ".") ? 1 : isTokenByte(byte) ? 0 : strange
    }

    /// Whether a token may have the byte before the `=` at its end (RFC 6750 section 2.1).
    package static func isTokenByte(_ byte: UInt8) -> Bool {
        byte.isWordByte || ".~+/".utf8.contains(byte)
    }

    /// More than a token can have of dots.
    private static let strange = maximumBytes + 1
}

/// The request does not carry exactly one well-formed token.
struct BearerTokenError: Error {}
