internal import Basics
internal import HTTPCore
internal import HTTPServer

/// Decides which origins' pages may call, and writes the CORS fields for browsers (Fetch standard, CORS protocol).
///
/// It compares origins byte by byte with what browsers send, and never answers with `*` or `null`.
struct CrossOrigin: Sendable {
    private let publicOrigin: String
    private let listed: [String]
    private let allowedHeaders: String

    init(_ settings: APISettings) {
        publicOrigin = settings.publicURL.origin
        listed = settings.corsOrigins
        allowedHeaders = "Content-Type, \(settings.csrfHeader), traceparent, tracestate"
    }

    /// True if answers differ by origin.
    var varies: Bool { !listed.isEmpty }

    /// True if the origin is that of the public address or a listed one.
    func knows(_ origin: String) -> Bool { origin.isSameText(as: publicOrigin) || lists(origin) }

    /// True if the origin is listed.
    func lists(_ origin: String) -> Bool { listed.contains { $0.isSameText(as: origin) } }

    /// The listed origin that a request comes from; nil for no origin, the server's own and an unknown one.
    func origin(of request: ServerRequest) -> String? {
        guard varies, let origin = request.headers.single("origin"), lists(origin) else { return nil }
        return origin
    }

    /// The CORS fields with which a script of a listed origin may read any answer, errors included.
    ///
    /// `more` names further header fields that the script may read.
    func headers(for origin: String, more: [String] = []) -> [ResponseHeader] {
        [
            ResponseHeader("Access-Control-Allow-Origin", origin),
            ResponseHeader("Access-Control-Allow-Credentials", "true"),
            ResponseHeader(
                "Access-Control-Expose-Headers",
                (["Retry-After", "WWW-Authenticate", "X-BFF-Problem", "X-Request-Id"] + more).joined(separator: ", ")),
        ]
    }

    /// True if a request is a preflight: a browser asks, without cookie and our header field, whether a page may call.
    func isPreflight(_ request: ServerRequest) -> Bool {
        request.method == .options && request.headers.count("origin") > 0
            && request.headers.count("access-control-request-method") > 0
    }

    /// The method that a preflight asks about; empty for a method that pages do not use.
    func askedMethods(_ request: ServerRequest) -> [HTTPMethod] {
        let asked = request.headers.single("access-control-request-method")
        return [.get, .head, .post, .put, .patch, .delete].filter { asked?.isSameText(as: $0.rawValue) ?? false }
    }

    /// Answers a preflight from a listed origin, for a path that supports these methods.
    ///
    /// `more` names the header fields that the path accepts besides those of every call.
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
