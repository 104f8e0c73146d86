public import HTTPCore

/// A request whose head has passed every check of the listener; the body may still be on its way.
public struct ServerRequest: Sendable {
    /// The method, a token of at most 32 bytes.
    public let method: HTTPMethod
    /// The target as sent, undecoded, in origin form (`/path?query`), or `*` for OPTIONS.
    public let target: String
    /// The header fields.
    public let headers: RequestHeaders
    /// The address of the machine that sent the request.
    public let peer: PeerAddress
    /// When the head was complete; the body may come much later.
    public let began: ContinuousClock.Instant
    /// The end of `requestTime`, at which the listener answers in the handler's place.
    ///
    /// The listener waits longer if `longestRequestTime` is longer.
    public let deadline: ContinuousClock.Instant
    /// The body, to be read piece by piece or as a whole.
    public let body: RequestBody
    private let pathEnd: String.Index

    /// Makes a request; for the listener, and for tests that call a handler directly.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - target: Path and query, undecoded.
    ///   - headers: The fields.
    ///   - peer: The address of the machine that sent the request.
    ///   - began: When the head was complete.
    ///   - deadline: The end of `requestTime`.
    ///   - body: The body.
    public init(
        method: HTTPMethod,
        target: String,
        headers: RequestHeaders = RequestHeaders(),
        peer: PeerAddress = .loopback,
        began: ContinuousClock.Instant = .now,
        deadline: ContinuousClock.Instant = .now + .seconds(60),
        body: RequestBody = .empty
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.peer = peer
        self.began = began
        self.deadline = deadline
        self.body = body
        pathEnd = target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
    }

    /// The part of the target before the first `?`, undecoded.
    public var path: Substring { target[..<pathEnd] }

    /// The part of the target after the first `?`, undecoded; nil when there is no `?`.
    public var query: Substring? {
        pathEnd == target.endIndex ? nil : target[target.utf8.index(after: pathEnd)...]
    }
}
