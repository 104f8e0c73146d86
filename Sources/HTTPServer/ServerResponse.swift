/// What a response carries.
public enum ResponseBody: Sendable {
    /// The body is empty; `Content-Length: 0` is sent where the status allows it.
    case none
    /// The whole body, in memory.
    case bytes([UInt8])
    /// Written piece by piece by a function that runs in the handler's task after the head was sent.
    ///
    /// With a length exactly that many bytes must be written, else the connection is dropped; without one the body is
    /// chunked (HTTP/1.0: ended by closing). An error thrown by the function drops the connection, so that the client
    /// never takes a part for the whole. For HEAD and for a status without a body the function is not called.
    case stream(length: Int?, @Sendable (ResponseWriter) async throws -> Void)
}

/// The answer to a request.
///
/// `Date`, `Content-Length`, `Transfer-Encoding` and `Connection` are the listener's business and are dropped from `headers`, but for
/// `Connection: close`, which is obeyed.
public struct ServerResponse: Sendable {
    /// The status code, 200 to 599.
    public var status: Int
    /// The fields in the order in which they are sent; repeated names are sent as they are.
    public var headers: [ResponseHeader]
    /// What follows the head.
    public var body: ResponseBody
    /// Kept until the answer has left, or its connection has ended.
    public var held: (any AnyObject & Sendable)?

    /// Makes an answer.
    ///
    /// - Parameters:
    ///   - status: 200 to 599.
    ///   - headers: The fields; a constant array is shared, not copied.
    ///   - body: What follows.
    public init(status: Int, headers: [ResponseHeader] = [], body: ResponseBody = .none) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// An answer in memory.
    ///
    /// - Parameters:
    ///   - status: 200 to 599.
    ///   - headers: The fields; a constant array is shared, not copied.
    ///   - body: The bytes that follow.
    public init(status: Int, headers: [ResponseHeader] = [], body: [UInt8]) {
        self.init(status: status, headers: headers, body: .bytes(body))
    }
}

/// Answers a request.
///
/// Cancelled when the client goes away, at the deadline and at the end of the server's grace.
public typealias RequestHandler = @Sendable (ServerRequest) async -> ServerResponse

/// Answers a request that needs no waiting, on the connection's own thread; nil leaves it to the `RequestHandler`.
///
/// Asked for requests without a body only, before anything else is done with them. It must not block, and it costs no
/// task, so it is not cancelled either. An answer with a streamed body is not taken; the handler is asked then.
public typealias ImmediateHandler = @Sendable (ServerRequest) -> ServerResponse?

/// Makes the answer for a request that the listener refuses itself.
///
/// The first argument is the proposed status, the second a reason in kebab-case from a closed set (see `RequestError`). The
/// status of the result counts, an `X-Request-Id` of it goes to the log. The body must be in memory. Called under the lock
/// of a connection too: it must not wait.
public typealias RefusalResponder = @Sendable (_ status: Int, _ reason: String) -> ServerResponse

/// Makes the same answer for a page of another origin, so that its script may read it; nil for the usual one.
///
/// Asked whenever a request with one `Origin` field is refused, with the field's value, which anybody may have written. It
/// must not block.
public typealias OriginRefusalResponder =
    @Sendable (_ status: Int, _ reason: String, _ origin: String) -> ServerResponse?
