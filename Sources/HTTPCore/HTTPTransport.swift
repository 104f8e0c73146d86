/// Sends one request and returns the whole answer: the only way to the network for everything above `HTTPCore`.
///
/// Implementations follow no redirects, keep no cookies, cache nothing and add no header that changes the meaning.
public protocol HTTPTransport: Sendable {
    /// Sends the request once.
    ///
    /// Only a safe method (GET, HEAD, OPTIONS, TRACE) may be sent a second time, when a kept connection closes
    /// without an answer (RFC 9110 section 9.2.2); any other is never sent twice.
    ///
    /// - Parameters:
    ///   - request: What to send.
    ///   - deadline: Gives up at this instant; covers resolving, connecting, sending and reading.
    /// - Returns: The answer, whatever its status.
    /// - Throws: Why there is no answer; `.cancelled` when the calling task was cancelled.
    func send(
        _ request: ClientRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> ClientResponse
}

/// Why a request has no answer.
///
/// The difference that matters is whether the peer may have acted on it.
public enum TransportError: Error, Sendable, Equatable {
    /// Nothing reached the peer: resolving, connecting or TLS failed, or the deadline passed before that was done.
    /// The request may be sent again.
    case notReached(ExchangeError)
    /// The request was sent, in whole or in part, and no usable answer came. Whether the peer acted is unknown.
    case noUsableAnswer(ExchangeError)
    /// The calling task was cancelled.
    case cancelled
}

/// What went wrong on the wire, for logs and metrics.
public enum ExchangeError: String, Error, Sendable, Equatable {
    /// The host name has no address.
    case resolve
    /// No connection was made.
    case connect
    /// The TLS handshake failed for a reason of its own: no protocol in common, no TLS at all, a certificate that is revoked.
    case tls
    /// The peer's certificate, or one above it, has expired or is not valid yet.
    case certificateExpired = "certificate-expired"
    /// The peer's certificate is for other host names.
    case certificateHost = "certificate-host"
    /// No authority that is trusted here has signed the peer's certificate.
    case certificateAuthority = "certificate-authority"
    /// The deadline passed before the answer was complete.
    case timeout
    /// The peer closed before the answer was complete.
    case closed
    /// What came is not HTTP.
    case malformed
    /// The answer is larger than the client accepts.
    case tooLarge
    /// The client itself is at its bound or shut down.
    case refusedLocally
    /// The request cannot be written as one HTTP message: a line break in a field, a field that belongs to the
    /// transport, a method that is not one.
    case invalidRequest

    /// What an operator does about a certificate that is refused; nil for everything else.
    public var advice: String? {
        switch self {
        case .certificateExpired: "renew the certificate there, or correct the clock of this machine"
        case .certificateHost: "correct the host of the address, or have that name added to the certificate"
        case .certificateAuthority: "name the file of the authority in outbound.caFile"
        case .resolve, .connect, .tls, .timeout, .closed, .malformed, .tooLarge, .refusedLocally, .invalidRequest: nil
        }
    }
}
