public import HTTPCore

/// A request whose head has passed every check of the listener; the body may still be on its way.
public struct ServerRequest: Sendable {
    /// The method, a token of at most 32 bytes.
    public let method: HTTPMethod
    /// The target as sent, undecoded, in origin form (`/path?query`), or `*` for OPTIONS.
    public let target: String
    /// The header fields.
    public let headers: RequestHeaders
    /// The address of whoever sent the request.
    public let peer: PeerAddress
    /// When its head was there; the body may have come much later.
    public let began: ContinuousClock.Instant
    /// When the listener gives up and answers in the handler's place.
    public let deadline: ContinuousClock.Instant
    /// The body, which is read piece by piece or as a whole.
    public let body: RequestBody
    private let pathEnd: String.Index

    /// A request; the listener makes these, and tests that call a handler directly.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - target: Path and query, undecoded.
    ///   - headers: The fields.
    ///   - peer: Who sent it.
    ///   - began: When its head was there.
    ///   - deadline: When the listener gives up.
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
