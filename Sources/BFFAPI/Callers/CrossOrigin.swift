internal import Basics
internal import HTTPCore
internal import HTTPServer

/// Which origins' pages may call, and what browsers are told about it (Fetch standard, CORS protocol).
///
/// Origins are compared byte by byte with what browsers send; nothing is ever answered with `*` or `null`.
struct CrossOrigin: Sendable {
    private let publicOrigin: String
    private let listed: [String]
    private let allowedHeaders: String

    init(_ settings: APISettings) {
        publicOrigin = settings.publicURL.origin
        listed = settings.corsOrigins
        allowedHeaders = "Content-Type, \(settings.csrfHeader), traceparent, tracestate"
    }

    /// Whether answers differ by origin.
    var varies: Bool { !listed.isEmpty }

    /// Whether the origin is ours or listed.
    func knows(_ origin: String) -> Bool { origin.isSameText(as: publicOrigin) || lists(origin) }

    /// Whether the origin is listed.
    func lists(_ origin: String) -> Bool { listed.contains { $0.isSameText(as: origin) } }

    /// The listed origin that a request comes from; nil for none, ours or an unknown one.
    func origin(of request: ServerRequest) -> String? {
        guard varies, let origin = request.headers.single("origin"), lists(origin) else { return nil }
        return origin
    }

    /// What lets a script of a listed origin read any answer, errors too.
    ///
    /// `more` has the names of further header fields that it may read.
    func headers(for origin: String, more: [String] = []) -> [ResponseHeader] {
        [
            ResponseHeader("Access-Control-Allow-Origin", origin),
            ResponseHeader("Access-Control-Allow-Credentials", "true"),
            ResponseHeader(
                "Access-Control-Expose-Headers",
                (["Retry-After", "WWW-Authenticate", "X-Request-Id"] + more).joined(separator: ", ")),
        ]
    }

    /// Whether a request is a preflight: a browser asks, without cookie and header field, whether it may call.
    func isPreflight(_ request: ServerRequest) -> Bool {
        request.method == .options && request.headers.count("origin") > 0
            && request.headers.count("access-control-request-method") > 0
    }

    /// The method that a preflight asks about, if it is one that pages use.
    func askedMethods(_ request: ServerRequest) -> [HTTPMethod] {
        let asked = request.headers.single("access-control-request-method")
        return [.get, .head, .post, .put, .patch, .delete].filter { asked?.isSameText(as: $0.rawValue) ?? false }
    }

    /// The answer to a preflight from a listed origin, to a path that supports these methods.
    ///
    /// `more` has the names of header fields that the path takes besides those of every call.
    func preflight(
        _ request: ServerRequest, _ methods: [HTTPMethod], more: [String] = []
    ) throws(Problem) -> OperationAnswer {
        guard origin(of: request) != nil else { throw Problem(.csrf, "Calls from this origin are not accepted.") }
        let allowed = ResponseHeader(
            "Access-Control-Allow-Methods", methods.map(\.rawValue).joined(separator: ", "))
        let names = ([allowedHeaders] + more).joined(separator: ", ")
        return .empty([
            allowed, ResponseHeader("Access-Control-Allow-Headers", names),
            ResponseHeader("Access-Control-Max-Age", "600"),
        ])
    }
}
