internal import BFF
internal import Basics
internal import HTTPCore
internal import HTTPServer

/// Writes answers as HTTP responses, with the header fields of every answer and those of its kind.
///
/// No other code does this, on any listener.
struct AnswerWriter: Sendable {
    private let plain: [ResponseHeader]
    private let listed: [String: [ResponseHeader]]
    private let passed: [ResponseHeader]
    private let crossOrigin: CrossOrigin?
    private let cookie: SessionCookie?

    init(_ settings: APISettings, _ crossOrigin: CrossOrigin, _ cookie: SessionCookie) {
        var common = Self.always
        if settings.publicURL.scheme == .https {
            let others = settings.hstsIncludesSubdomains ? "; includeSubDomains" : ""
            common.append(ResponseHeader("Strict-Transport-Security", "max-age=31536000" + others))
        }
        if crossOrigin.varies { common.append(ResponseHeader("Vary", "Origin")) }
        plain = common
        passed = Self.sandboxed + common.dropFirst(Self.always.count)
        self.crossOrigin = crossOrigin
        listed = Dictionary(settings.corsOrigins.map { ($0, common + crossOrigin.headers(for: $0)) }) { first, _ in
            first
        }
        self.cookie = cookie
    }

    /// A writer for callers that are not browsers: no cookie, and no header fields for pages of other origins.
    init() {
        plain = Self.always
        passed = Self.sandboxed
        listed = [:]
        crossOrigin = nil
        cookie = nil
    }

    /// Header fields that keep an answer out of caches and frames, and browsers from guessing its type.
    private static let always =
        [
            ResponseHeader("Cache-Control", "no-store"),
            ResponseHeader("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
        ] + apart

    /// Header fields of answers that come from APIs, which set their own caching; `sandbox` because no such answer is a
    /// page of this server.
    private static let sandboxed =
        [ResponseHeader("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox")] + apart

    /// Header fields that keep an answer from pages of other origins, be it as an image, a script or a window that they
    /// opened (Fetch, 'Cross-Origin-Resource-Policy header'; HTML, 'Cross-origin opener policies').
    private static let apart = [
        ResponseHeader("X-Content-Type-Options", "nosniff"),
        ResponseHeader("Referrer-Policy", "no-referrer"),
        ResponseHeader("Cross-Origin-Resource-Policy", "same-origin"),
        ResponseHeader("Cross-Origin-Opener-Policy", "same-origin"),
    ]

    /// The response for the answer to a request, with the request id, and with the CORS fields when the request comes
    /// from a listed origin.
    func response(_ answer: OperationAnswer, _ requestID: String, to request: ServerRequest) -> ServerResponse {
        response(answer, requestID, origin: crossOrigin?.origin(of: request))
    }

    /// The response for an answer whose request is not known; `origin` is the listed origin whose scripts may read it,
    /// nil for none.
    func response(_ answer: OperationAnswer, _ requestID: String, origin: String? = nil) -> ServerResponse {
        do throws(Problem) {
            return try written(answer, requestID, origin)
        } catch {
            return problem(error, requestID, origin)
        }
    }

    private func written(
        _ answer: OperationAnswer, _ requestID: String, _ origin: String?
    ) throws(Problem) -> ServerResponse {
        switch answer {
        case .problem(let problem): throw problem
        case .device(let body, let extra):
            guard !body.isEmpty else {
                return ServerResponse(status: 204, headers: headers(requestID, origin: origin) + extra)
            }
            return ServerResponse(
                status: 200, headers: headers(requestID, origin: origin, Self.json, more: extra), body: body)
        case .empty(let extra):
            return ServerResponse(status: 204, headers: headers(requestID, origin: origin) + extra)
        case .redirect(let address, let extra):
            let location = ResponseHeader("Location", address)
            return ServerResponse(status: 303, headers: headers(requestID, origin: origin, location, more: extra))
        case .page(let bytes, let policy, let extra):
            let type = ResponseHeader("Content-Type", "text/html; charset=utf-8")
            let own = headers(requestID, origin: origin, type, more: extra).filter {
                !$0.name.isSameText(as: Self.policy)
            }
            return ServerResponse(status: 200, headers: own + [ResponseHeader(Self.policy, policy)], body: bytes)
        case .file(let status, let fields, let bytes):
            let own = headers(requestID, origin: origin).filter { header in
                header.name.isSameText(as: "Vary") || !fields.contains { $0.name.isSameText(as: header.name) }
            }
            return ServerResponse(status: status, headers: own + fields, body: bytes)
        case .events(let write):
            let own = headers(requestID, origin: origin, Self.events).filter { !$0.name.isSameText(as: Self.caching) }
            return ServerResponse(status: 200, headers: own + Self.unbuffered, body: .stream(length: nil, write))
        case .document(let mediaType, let bytes):
            let type = ResponseHeader("Content-Type", mediaType)
            return ServerResponse(status: 200, headers: headers(requestID, origin: origin, type), body: bytes)
        case .passed(let status, let fields, let body):
            var all = passed
            all.reserveCapacity(all.count + fields.count + 4)
            if let origin, let crossOrigin {
                all += crossOrigin.headers(for: origin, more: ResponseFields.readable(in: fields))
            }
            all += fields
            all.append(ResponseHeader("X-Request-Id", requestID))
            return ServerResponse(status: status, headers: all, body: body)
        case .answered(let status, let body, let change, let wait):
            var more = try cookie?.headers(change) ?? []
            if let wait { more.append(ResponseHeader(retryAfter: wait)) }
            return ServerResponse(
                status: status, headers: headers(requestID, origin: origin, Self.json, more: more), body: body)
        case .allowed(let facts): return ServerResponse(status: 204, headers: AuthzAPI.headers(facts, requestID))
        case .reply(let body, let change, let wait):
            var change = try cookie?.headers(change) ?? []
            if let wait { change.append(ResponseHeader(retryAfter: wait)) }
            guard !body.isEmpty else {
                return ServerResponse(status: 204, headers: headers(requestID, origin: origin, nil, more: change))
            }
            return ServerResponse(
                status: 200, headers: headers(requestID, origin: origin, Self.json, more: change), body: body)
        }
    }

    private func problem(_ problem: Problem, _ requestID: String, _ origin: String?) -> ServerResponse {
        let isDocument = problem.form == .document
        var all = headers(requestID, origin: origin, isDocument ? Self.problem : Self.json)
        // Tells scripts that this is no answer of an API: `ReservedFields` keeps the prefix out of these.
        if cookie != nil { all.append(ResponseHeader("X-BFF-Problem", problem.type.rawValue)) }
        all += problem.headers
        if let wait = problem.retryAfter { all.append(ResponseHeader(retryAfter: wait)) }
        // RFC 9110 section 15.5.2 requires a challenge; browsers prompt no user for a scheme that they do not know.
        if problem.status == 401, !problem.headers.contains(where: { $0.name.isSameText(as: "WWW-Authenticate") }) {
            all.append(ResponseHeader("WWW-Authenticate", "Cookie realm=\"cloakroom\""))
        }
        return ServerResponse(status: problem.status, headers: all, body: problem.body(requestID))
    }

    private func headers(
        _ requestID: String, origin: String?, _ first: ResponseHeader? = nil, more: [ResponseHeader] = []
    ) -> [ResponseHeader] {
        let common = origin.flatMap { listed[$0] } ?? plain
        var all: [ResponseHeader] = []
        all.reserveCapacity(common.count + 5)
        all.append(contentsOf: common)
        if let first { all.append(first) }
        all += more
        all.append(ResponseHeader("X-Request-Id", requestID))
        return all
    }

    private static let policy = "Content-Security-Policy"
    private static let caching = "Cache-Control"
    private static let events = ResponseHeader("Content-Type", "text/event-stream")
    /// Header fields by which proxies pass each event on at once: `no-transform` keeps compression from collecting them.
    private static let unbuffered = [
        ResponseHeader(caching, "no-store, no-transform"), ResponseHeader("X-Accel-Buffering", "no"),
    ]
    private static let json = ResponseHeader("Content-Type", "application/json")
    private static let problem = ResponseHeader("Content-Type", "application/problem+json")
}

extension ResponseHeader {
    fileprivate init(retryAfter wait: Duration) { self.init("Retry-After", String(wait.retrySeconds)) }
}
