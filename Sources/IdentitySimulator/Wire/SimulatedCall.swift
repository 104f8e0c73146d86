internal import Basics
internal import HTTPCore
internal import HTTPServer
internal import JSON

/// A parsed request.
struct SimulatedCall: Sendable {
    let method: HTTPMethod
    /// The segments of the path, decoded.
    let segments: [String]
    let query: QueryParameters
    let headers: RequestHeaders
    let body: [UInt8]
    /// Scheme, host and port of published URLs.
    let base: String
    let now: Timestamp

    /// Parses a request; nil if its path or query cannot be decoded.
    init?(_ request: ServerRequest, body: [UInt8], base: String, now: Timestamp) {
        var segments: [String] = []
        for part in request.path.split(separator: "/", omittingEmptySubsequences: true) {
            guard let segment = PercentEncoding.decode(part), !segment.contains("/") else { return nil }
            segments.append(segment)
        }
        guard let query = QueryParameters(parsing: request.query ?? "") else { return nil }
        method = request.method
        self.segments = segments
        self.query = query
        headers = request.headers
        self.body = body
        self.base = base
        self.now = now
    }

    /// The path as published, decoded.
    var path: String { "/" + segments.joined(separator: "/") }

    private var mediaType: MediaType? {
        headers.single("content-type").flatMap { MediaType(parsing: $0) }
    }

    var isJSON: Bool { mediaType?.isJSON ?? false }

    /// The body as a JSON value; nil if it is no JSON.
    var json: JSONValue? { try? JSONValue(parsing: body) }

    /// The body as form fields; nil if it is no form.
    var form: QueryParameters? {
        guard mediaType?.essence == "application/x-www-form-urlencoded",
            let text = String(validating: body, as: UTF8.self)
        else { return nil }
        return QueryParameters(parsing: text)
    }

    /// The relying party of credentials: the one in the settings, else the host of the request.
    ///
    /// A relying party is never an IP address (Web Authentication Level 3); for one it is `localhost`.
    func relyingParty(_ settings: SimulatorSettings) -> String {
        if let stated = settings.relyingParty { return stated }
        let host = headers.single("host").flatMap { WebURL("http://" + $0)?.host } ?? ""
        let isNumber =
            host.utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: ".") } || host.utf8.contains(UInt8(ascii: ":"))
        return isNumber ? "localhost" : host
    }

    /// The session token of a request: in the header named after the cookie, or in the cookie itself.
    func sessionToken(_ cookieName: String) -> String? {
        if let value = headers.single(cookieName.lowercased()), !value.isEmpty { return value }
        return CookieHeader(headers.values("cookie")).single(cookieName).map { String($0) }
    }

    /// The session token in the cookie, or in the query parameter of the same name; the header is ignored.
    func cookieSession(_ cookieName: String) -> String? {
        CookieHeader(headers.values("cookie")).values(cookieName).first.map { String($0) }
            ?? query.all(cookieName).first
    }

    /// The requested version of `resource`, as written: `2.1`; nil if none is requested.
    var resourceVersion: String? {
        for part in headers.values("accept-api-version").flatMap({ $0.split(separator: ",") }) {
            let halves = part.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " } }
            if halves.count == 2, halves[0] == "resource" { return halves[1] }
        }
        return nil
    }

    /// The major part of the requested version of `resource`; nil if the field is missing, 0 if it cannot be read.
    var apiVersion: Int? {
        let fields = headers.values("accept-api-version")
        guard let field = fields.first else { return nil }
        guard fields.count == 1 else { return 0 }
        for part in field.split(separator: ",") {
            let halves = part.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " } }
            guard halves.count == 2, halves[0] == "resource" else { continue }
            return halves[1].split(separator: ".").first.flatMap { Int($0) } ?? 0
        }
        return 0
    }
}
