/// What a request to another server is for: of each purpose a transport has connections and a queue apart, so that a flood
/// of one keeps nothing of another waiting.
public enum RequestPurpose: Sendable, Hashable {
    /// Signing users in, and all that goes with it.
    case provider
    /// Asking an issuer about a token that anybody may have made up.
    case introspection
    /// A call that is passed on; each API has connections and a queue of its own.
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
    /// Whether it goes over connections on which no request with credentials is ever sent.
    ///
    /// For calls that anybody may cause: what they leave on a connection is nobody's answer who is signed in.
    public var isAnonymous = false
    /// What it is for.
    public var purpose = RequestPurpose.provider
    /// Whom the call is made for: that of the task that makes the request, see `RequestScope`.
    public var context: RequestContext?

    /// A request to another server.
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
    /// The header fields, each occurrence kept apart and in order.
    public var fields: HTTPFields
    /// The body, decoded from any transfer coding.
    public var body: [UInt8]

    /// An answer with its fields and body.
    public init(status: Int, fields: HTTPFields = [:], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// Whether the status is 300 to 399.
    public var isRedirect: Bool { 300..<400 ~= status }
}
