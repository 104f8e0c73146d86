/// The body of a response.
public enum ResponseBody: Sendable {
    /// The body is empty; `Content-Length: 0` is sent where the status allows it.
    case none
    /// The whole body, in memory.
    case bytes([UInt8])
    /// A function writes the body piece by piece; it runs in the handler's task after the handler has returned.
    ///
    /// With a length, the function must write exactly that many bytes, or the connection is dropped; without a length,
    /// the body is chunked (HTTP/1.0: ended by closing). An error thrown by the function drops the connection, so that
    /// the client never takes a part for the whole. The function is not called for HEAD or a status without a body.
    case stream(length: Int?, @Sendable (ResponseWriter) async throws -> Void)
}

/// The answer to a request.
///
/// The listener sets `Date`, `Content-Length`, `Transfer-Encoding` and `Connection` itself and drops them from
/// `headers`. It obeys `Connection: close`.
public struct ServerResponse: Sendable {
    /// The status code, 200 to 599.
    public var status: Int
    /// The fields in the order in which they are sent; repeated names are sent as they are.
    public var headers: [ResponseHeader]
    /// The body, which follows the head.
    public var body: ResponseBody
    /// An object that the listener keeps until the response has left, or its connection has ended.
    public var held: (any AnyObject & Sendable)?

    /// Makes a response.
    ///
    /// - Parameters:
    ///   - status: 200 to 599.
    ///   - headers: The fields; a constant array is shared, not copied.
    ///   - body: The body, which follows the head.
    public init(status: Int, headers: [ResponseHeader] = [], body: ResponseBody = .none) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Makes a response whose body is in memory.
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
/// Its task is cancelled when the client disconnects, at the deadline and at the end of a stop's grace.
public typealias RequestHandler = @Sendable (ServerRequest) async -> ServerResponse

/// Answers a request that needs no waiting, on the connection's own thread; nil leaves it to the `RequestHandler`.
///
/// Called only for requests without a body, before the handler. It must not block. It runs without a task, so it is
/// not cancelled either. A response with a streamed body is discarded, and the handler is called.
public typealias ImmediateHandler = @Sendable (ServerRequest) -> ServerResponse?

/// Makes the response to a request that the listener refuses itself.
///
/// The first argument is the proposed status, the second a reason in kebab-case from a closed set (see `RequestError`).
/// The status of the result is sent, and its `X-Request-Id` goes to the log. The body must be in memory. The responder
/// must not wait, because it is called on the event thread of a connection.
public typealias RefusalResponder = @Sendable (_ status: Int, _ reason: String) -> ServerResponse

/// Makes the refusal for a page of another origin, so that the page's script may read it; nil for the usual refusal.
///
/// The third argument is the value of the request's `Origin` field, which any client may have written. Called when the
/// refused request has exactly one such field, of at most 1024 bytes. It must not block.
public typealias OriginRefusalResponder =
    @Sendable (_ status: Int, _ reason: String, _ origin: String) -> ServerResponse?
