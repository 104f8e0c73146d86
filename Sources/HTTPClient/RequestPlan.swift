internal import HTTPCore
internal import Logs

/// A request that was validated as one well-formed HTTP message.
struct RequestPlan: Sendable {
    let request: ClientRequest
    /// Scheme, host and port, by which connections are counted and kept.
    let origin: String

    /// True if the method is safe: it changes nothing, so that sending it twice does no harm (RFC 9110 section 9.2.1).
    var isSafe: Bool { request.method.isSafe }

    /// True if the request carries a `Content-Length` even without a body (RFC 9110 section 8.6).
    var carriesBody: Bool {
        switch request.method {
        case .post, .put, .patch: true
        default: !request.body.isEmpty
        }
    }

    /// Validates a request.
    ///
    /// - Throws: `.invalidRequest` when a part of it could break out of its place in the message, or names a field of
    ///   the transport's own: one that frames the message or manages the connection.
    init(_ request: ClientRequest) throws(ExchangeError) {
        self.request = request
        origin = request.url.origin
        guard request.method != .connect, request.method != .head || request.body.isEmpty else {
            throw .invalidRequest
        }
        guard Self.isTarget(request.url) else { throw .invalidRequest }
        for field in request.fields {
            guard !Self.reserved.contains(field.name) else { throw .invalidRequest }
        }
    }

    /// The facts of the request for a log line, besides `more`: its host and its request id; never its path, fields or
    /// body.
    func facts(_ more: Logger.Metadata) -> Logger.Metadata {
        var facts = more
        facts["host"] = "\(origin)"
        if let id = request.context?.id { facts["request.id"] = "\(id)" }
        return facts
    }

    private static let reserved: Set<HTTPField.Name> = [
        .host, .contentLength, .transferEncoding, .connection, .keepAlive, .proxyConnection, .te, .trailer, .upgrade,
        .expect,
    ]

    /// True if path and query form a valid request target; they can be changed after the address was parsed.
    private static func isTarget(_ url: WebURL) -> Bool {
        let path = url.path.utf8
        return path.first == UInt8(ascii: "/")
            && path.allSatisfy { isVisible($0) && $0 != UInt8(ascii: "?") }
            && (url.query?.utf8.allSatisfy(isVisible) ?? true)
    }

    private static func isVisible(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "#") && byte != UInt8(ascii: "\\")
    }
}
