/// The bearer token of a request (RFC 6750 section 2.1): in the `Authorization` field, once.
enum BearerToken {
    /// The longest token that is looked at.
    private static let maximumBytes = 32 * 1024

    /// - Parameters:
    ///   - authorization: Every value of the `Authorization` field.
    ///   - otherTransports: Whether the request also carries a token in its query or body.
    /// - Returns: The token; nil when the request carries none.
    /// - Throws: For more than one token, or one that is not of the form.
    static func read(_ authorization: [String], otherTransports: Bool) throws(BearerTokenError) -> String? {
        guard authorization.count <= 1, !otherTransports else { throw BearerTokenError() }
        guard let field = authorization.first else { return nil }
        let parts = field.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
        guard let scheme = parts.first, scheme.lowercased() == "bearer" else { return nil }
        guard parts.count == 2, isToken(parts[1]) else { throw BearerTokenError() }
        return String(parts[1])
    }

    private static func isToken(_ text: Substring) -> Bool {
        let body = text.utf8.reversed().drop { $0 == UInt8(ascii: "=") }
        return !body.isEmpty && text.utf8.count <= maximumBytes
            && body.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: "~"), UInt8(ascii: "+"), UInt8(ascii: "/"):
                    true
                default: false
                }
            }
    }
}

/// The request does not carry exactly one well-formed token.
struct BearerTokenError: Error {}
