/// The bearer token of a request (RFC 6750 section 2.1): in the `Authorization` field, once.
struct BearerToken: Sendable {
    /// The longest token that is looked at.
    private static let maximumBytes = 32 * 1024
    private static let scheme = Array("bearer".utf8)

    /// The field that it came in, and where in it the token begins; it ends with it.
    private let field: String
    private let start: Int
    /// Whether it has the three parts of a compact JWS.
    let hasThreeParts: Bool

    /// The token: plain ASCII.
    var bytes: [UInt8] {
        var field = field
        return field.withUTF8 { Array($0[start...]) }
    }

    /// What caches know it by.
    var digest: TokenDigest {
        var field = field
        return field.withUTF8 { TokenDigest(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: $0[start...]))) }
    }

    /// The token as text.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// - Parameters:
    ///   - authorization: Every value of the `Authorization` field.
    ///   - otherTransports: Whether the request also carries a token in its query or body.
    /// - Returns: The token; nil when the request carries none.
    /// - Throws: For more than one token, or one that is not of the form.
    static func read(_ authorization: [String], otherTransports: Bool) throws(BearerTokenError) -> BearerToken? {
        guard authorization.count <= 1, !otherTransports else { throw BearerTokenError() }
        guard var field = authorization.first else { return nil }
        switch field.withUTF8(find) {
        case .none: return nil
        case .malformed: throw BearerTokenError()
        case .token(let start, let dots):
            return BearerToken(field: field, start: start, hasThreeParts: dots == 2)
        }
    }

    private enum Found {
        case none
        case malformed
        case token(start: Int, dots: Int)
    }

    private static func find(_ field: UnsafeBufferPointer<UInt8>) -> Found {
        let blank = UInt8(ascii: " ")
        let start = field.firstIndex { $0 != blank } ?? field.count
        let end = field[start...].firstIndex(of: blank) ?? field.count
        guard field[start..<end].lazy.map({ $0 | 0x20 }).elementsEqual(scheme) else { return .none }
        guard end < field.count else { return .malformed }
        guard let dots = dots(in: UnsafeBufferPointer(rebasing: field[(end + 1)...])) else { return .malformed }
        return .token(start: end + 1, dots: dots)
    }

    /// How many dots a `b64token` has: letters, digits and some signs, and after them any number of `=`; nil for anything
    /// else.
    private static func dots(in token: UnsafeBufferPointer<UInt8>) -> Int? {
        guard token.count <= maximumBytes else { return nil }
        var count = token.count
        while count > 0, token[count - 1] == UInt8(ascii: "=") { count -= 1 }
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
        switch byte {
        case UInt8(ascii: "."): 1
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"),
            UInt8(ascii: "+"), UInt8(ascii: "/"):
            0
        default: strange
        }
    }
    /// More than a token can have of dots.
    private static let strange = maximumBytes + 1
}

/// The request does not carry exactly one well-formed token.
struct BearerTokenError: Error {}
