internal import BFF
internal import Basics
internal import HTTPCore
internal import HTTPServer

/// The header fields of a call to an API: an allow-list of the browser's fields, then the server's own.
///
/// The cookie, `Authorization`, hop-by-hop fields and the browser's claims about proxies are never passed on; no list
/// has a name with `_`, which some servers read as `-`.
struct RequestFields: Sendable {
    private struct Allowed: Sendable {
        /// The name of the field, in lower case.
        let name: String
        let field: HTTPField.Name
        /// True if several occurrences may be joined; servers disagree about a second occurrence of any other field.
        let isList: Bool
    }

    private static let allowed: [Allowed] =
        ([
            ("accept", true), ("accept-encoding", true), ("accept-language", true), ("content-type", false),
            ("content-language", true), ("content-encoding", true), ("if-match", true), ("if-none-match", true),
            ("if-modified-since", false), ("if-unmodified-since", false), ("if-range", false), ("range", false),
            ("idempotency-key", false), ("x-requested-with", false), ("prefer", true),
        ] as [(HTTPField.Name, Bool)]).map { name, isList in
            Allowed(name: name.rawName, field: name, isList: isList)
        }

    /// The fields that pages of other origins may send to routes, besides those of the API itself.
    static let crossOrigin =
        ["X-BFF-Account"] + allowed.map(\.field.rawName).filter { !["content-type", "accept-encoding"].contains($0) }

    private let host: String
    private let scheme: String
    private let trusted: [AddressRange]

    init(_ settings: APISettings) {
        host = settings.publicURL.authority
        scheme = settings.publicURL.scheme.rawValue
        trusted = settings.trustedPeers
    }

    /// The header fields of a call.
    ///
    /// - Parameter call: The call.
    /// - Returns: The allowed fields of the browser and the server's own, without the token.
    /// - Throws: `.malformed` for a field that may occur once and occurs twice.
    func make(_ call: ProxyCall) throws(Problem) -> HTTPFields {
        let headers = call.request.headers
        let hopByHop = Self.connectionNames(headers.values("connection"))
        var fields = HTTPFields()
        for allowed in Self.allowed {
            guard headers.count(allowed.name) > 0, !hopByHop.contains(allowed.name) else { continue }
            fields.set(try Self.field(allowed, headers))
        }
        for name in call.route.settings.headers where !hopByHop.contains(name.canonicalName) {
            let values = headers.values(name.canonicalName)
            guard let value = values.first else { continue }
            guard values.count == 1 else {
                throw Problem(.malformed, "A header field that has one value was sent more than once.")
            }
            do { try fields.set(name, checking: value) } catch {
                throw Problem(.malformed, "A header field holds a character that no field can carry.")
            }
        }
        do {
            try fields.set(.xForwardedFor, checking: CallerAddress.of(call.request, trusting: trusted).text)
            try fields.set(.xForwardedHost, checking: host)
            try fields.set(.xForwardedProto, checking: scheme)
            try fields.set(.xRequestID, checking: call.incoming.id)
        } catch {
            throw Problem(.internalError)
        }
        return fields
    }

    /// An allowed field in one line, byte for byte as received; empty elements of a list are dropped.
    private static func field(_ allowed: Allowed, _ headers: RequestHeaders) throws(Problem) -> HTTPField {
        var line: [UInt8] = []
        var count = 0
        headers.forEachValue(allowed.name) { value in
            count += 1
            if !line.isEmpty, !value.isEmpty { line += ", ".utf8 }
            line += value
        }
        guard count == 1 || allowed.isList else {
            throw Problem(.malformed, "A header field that has one value was sent more than once.")
        }
        do {
            return try line.withUnsafeBytes { (line) throws(HTTPFieldError) in
                try HTTPField(allowed.field, checking: line)
            }
        } catch {
            throw Problem(.malformed, "A header field holds a character that no field can carry.")
        }
    }

    /// The names of hop-by-hop fields in `Connection` (RFC 9110 section 7.6.1), in lower case.
    static func connectionNames(_ values: [String]) -> Set<String> {
        if values.isEmpty { return [] }
        return Set(
            values.flatMap { $0.split(byte: ",") }.map { name in
                String(
                    decoding: name.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }, as: UTF8.self
                ).lowercased()
            })
    }
}
