/// The purpose of a request to another server.
///
/// A transport has separate connections and a separate queue for each purpose, so that a flood of one does not delay
/// another.
public enum RequestPurpose: Sendable, Hashable {
    /// Signing users in, and the calls that belong to it.
    case provider
    /// Asking an issuer about a token that an attacker may have made up.
    case introspection
    /// A forwarded API call; each API has its own connections and queue.
    case route
}

/// A request to another server, complete in memory.
public struct ClientRequest: Sendable, Equatable {
    /// The method of the request.
    public var method: HTTPMethod
    /// The absolute http or https address.
    public var url: WebURL
    /// The header fields, without `Host`, `Content-Length` and `Connection`: the transport sets those.
    public var fields: HTTPFields
    /// The body; empty for none.
    public var body: [UInt8]
    /// True if the request uses connections on which no request with credentials is ever sent.
    ///
    /// For calls that an unauthenticated client can cause: bytes they leave on a connection never reach a signed-in
    /// user.
    public var isAnonymous = false
    /// The purpose, which chooses connections and queue.
    public var purpose = RequestPurpose.provider
    /// The browser request that the call belongs to: that of the current task, see `RequestScope`.
    public var context: RequestContext?

    /// Makes a request to another server.
    public init(_ method: HTTPMethod = .get, _ url: WebURL, fields: HTTPFields = [:], body: [UInt8] = []) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        context = RequestScope.current
    }
}

/// The answer to a `ClientRequest`, complete in memory.
public struct ClientResponse: Sendable, Equatable {
    /// The status code, 100 to 599.
    public var status: Int
    /// The header fields in order, each occurrence separate.
    public var fields: HTTPFields
    /// The body, decoded from any transfer coding.
    public var body: [UInt8]

    /// Makes an answer with its fields and body.
    public init(status: Int, fields: HTTPFields = [:], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// True if the status is 300 to 399.
    public var isRedirect: Bool { 300..<400 ~= status }
}
