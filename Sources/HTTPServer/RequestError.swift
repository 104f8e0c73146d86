/// The reason for which the listener answers a request itself, in place of the handler.
public enum RequestError: String, Error, Sendable, Equatable, CaseIterable {
    /// The head breaks the grammar of RFC 9112.
    case malformed
    /// `Host` is missing, repeated or not a host.
    case host
    /// The target is not a path in ASCII (or `*` for OPTIONS); a proxy's absolute form is not served.
    case target
    /// The version of HTTP is not 1.0 or 1.1.
    case version
    /// `Expect` is not `100-continue`.
    case expectation
    /// The length of the body is ambiguous or not a number.
    case bodyLength = "body-length"
    /// The transfer coding is not `chunked`.
    case transferCoding = "transfer-coding"
    /// The target is too long or has too many parameters.
    case targetTooLong = "target-too-long"
    /// There are too many header fields, or the head has too many bytes.
    case headersTooLarge = "headers-too-large"
    /// The body is too large.
    case bodyTooLarge = "body-too-large"
    /// The head or the body did not come in time.
    case slow
    /// The handler did not answer before the deadline, or before the end of a stop's grace; it may have acted.
    case deadline
    /// The server is stopping; nothing of the request was done.
    case draining
    /// There are too many connections.
    case busy
    /// The handler's response cannot be sent as it is.
    case badResponse = "bad-response"

    /// The status that is proposed to the `RefusalResponder`.
    public var status: Int {
        switch self {
        case .malformed, .host, .target, .bodyLength: 400
        case .version: 505
        case .expectation: 417
        case .transferCoding: 501
        case .targetTooLong: 414
        case .headersTooLarge: 431
        case .bodyTooLarge: 413
        case .slow: 408
        case .deadline: 504
        case .draining, .busy: 503
        case .badResponse: 500
        }
    }

    /// A minimal problem document (RFC 9457) with the status and the reason.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - reason: In kebab-case; becomes the title.
    /// - Returns: The response.
    public static func problem(status: Int, reason: String) -> ServerResponse {
        ServerResponse(
            status: status, headers: problemHeaders,
            body: Array(#"{"type":"about:blank","title":"\#(reason)","status":\#(status)}"#.utf8))
    }

    private static let problemHeaders = [
        ResponseHeader("Content-Type", "application/problem+json"),
        ResponseHeader("Cache-Control", "no-store"),
    ]
}
