/// Receives every finished call that the server made; meant for metrics and spans.
///
/// Called in the task of the call, so it must not block.
public typealias OutboundObserver = @Sendable (OutboundCall) -> Void

/// A finished call of the server to a provider, an issuer or an API; holds nothing of a user.
public struct OutboundCall: Sendable, Equatable {
    /// The destination of a call: a closed set, fit for a metric's label.
    public enum Destination: String, Sendable, CaseIterable {
        /// The provider of one of `clients`: flows, tokens, sessions.
        case provider
        /// A discovery document or a key set.
        case documents
        /// An issuer's introspection endpoint, for a bearer token.
        case introspection
        /// An API behind one of `routes`.
        case api
    }

    /// The outcome of a call: a closed set, fit for a metric's label.
    public enum Outcome: Sendable, Equatable {
        /// A complete answer with this status.
        case answered(status: Int)
        /// Nothing was sent: DNS, connection or TLS failed.
        case notReached
        /// The call was sent without a usable answer: it may have had an effect.
        case noUsableAnswer
        /// The caller disconnected first.
        case cancelled
    }

    /// The destination of the call.
    public let destination: Destination
    /// The host and, unless it is the scheme's default, the port.
    public let host: String
    /// The method, such as `POST`.
    public let method: String
    /// The outcome of the call.
    public let outcome: Outcome
    /// The duration from the start of the call to the last byte of its answer.
    public let duration: Duration
    /// The id of the trace, 32 lower-case hexadecimal digits (W3C Trace Context).
    public let traceID: String
    /// The id of this call's span, 16 lower-case hexadecimal digits.
    public let spanID: String
    /// The id of the request that caused the call, as in the log; nil for background work without one.
    public let requestID: String?
}
