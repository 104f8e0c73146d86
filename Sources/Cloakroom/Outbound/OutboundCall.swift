/// Receives every finished call that the server made: the place for metrics and spans.
///
/// Called in the task of the call, so it must not block.
public typealias OutboundObserver = @Sendable (OutboundCall) -> Void

/// A finished call of the server to a provider, an issuer or an API; holds nothing of a user.
public struct OutboundCall: Sendable, Equatable {
    /// Where a call goes: a closed set, fit for a metric's label.
    public enum Destination: String, Sendable, CaseIterable {
        /// A provider, by one of `clients`: flows, tokens, sessions.
        case provider
        /// A discovery document or a key set.
        case documents
        /// An issuer's introspection endpoint, about a bearer token.
        case introspection
        /// An API behind one of `routes`.
        case api
    }

    /// How a call ended: a closed set, fit for a metric's label.
    public enum Outcome: Sendable, Equatable {
        /// A complete answer with this status.
        case answered(status: Int)
        /// Nothing was sent: DNS, connection or TLS failed.
        case notReached
        /// Sent without a usable answer: it may have been acted on.
        case noUsableAnswer
        /// The caller went away first.
        case cancelled
    }

    /// Where it went.
    public let destination: Destination
    /// Host and, unless it is the scheme's own, port.
    public let host: String
    /// The method, such as `POST`.
    public let method: String
    /// How it ended.
    public let outcome: Outcome
    /// From the call's begin to its answer's last byte.
    public let duration: Duration
    /// The id of the trace, 32 lower-case hexadecimal digits (W3C Trace Context).
    public let traceID: String
    /// The id of this call's span, 16 lower-case hexadecimal digits.
    public let spanID: String
    /// The id of the request that caused the call, as in the log; nil for background work without one.
    public let requestID: String?
}
