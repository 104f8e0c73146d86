internal import HTTPCore
internal import Logs

/// A request that was found to be one well-formed HTTP message.
struct RequestPlan: Sendable {
    let request: ClientRequest
    /// Scheme, host and port: what connections are counted and kept by.
    let origin: String

    /// Whether the method promises to change nothing, so that sending it twice does no harm (RFC 9110 section 9.2.1).
    var isSafe: Bool { request.method.isSafe }

    /// Whether a `Content-Length` belongs to the request even without a body (RFC 9110 section 8.6).
    var carriesBody: Bool {
        switch request.method {
        case .post, .put, .patch: true
        default: !request.body.isEmpty
        }
    }

    /// Checks a request.
    ///
    /// - Throws: `.invalidRequest` when a part of it could break out of its place in the message, or names a field that
    ///   frames the message or manages the connection, which are the transport's own.
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

    /// What a log line says of the request besides `more`: where it goes and whom it is for; never its path, fields or body.
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

    /// Path and query can be written to after the address was parsed.
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
