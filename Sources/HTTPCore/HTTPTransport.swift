/// Sends one request and returns its answer, whole or piece by piece.
///
/// It is the only access to HTTP servers for everything above `HTTPCore`.
///
/// Implementations follow no redirects, keep no cookies, cache nothing and add no header that changes the request's
/// meaning.
public protocol HTTPTransport: Sendable {
    /// Sends the request once.
    ///
    /// Only a safe method (GET, HEAD, OPTIONS, TRACE) may be sent a second time, when a kept connection closes
    /// without an answer (RFC 9110 section 9.2.2); any other is never sent twice.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - deadline: Gives up at this instant; covers resolving, connecting, sending and reading.
    /// - Returns: The answer, whatever its status.
    /// - Throws: Why no answer came; `.cancelled` when the calling task was cancelled.
    func send(
        _ request: ClientRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> ClientResponse

    /// Sends the request once and returns as soon as the head of the answer is there.
    ///
    /// The request is sent to its end before an answer is read: an answer that begins before is refused. A request of
    /// which a byte of an upload may have left is never sent a second time. The answer may have any length.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - deadline: Gives up at this instant; covers the whole exchange, up to the last byte of the answer.
    /// - Returns: The head of the answer, whatever its status, and its body.
    /// - Throws: Why no head came; `.cancelled` when the calling task was cancelled.
    func stream(
        _ request: StreamedRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> StreamedResponse
}

/// Why a request has no answer.
///
/// The cases differ in one fact: the peer may have acted on the request, or cannot have.
public enum TransportError: Error, Sendable, Equatable {
    /// The request never reached the peer: resolving, connecting or TLS failed, or the deadline passed before. The
    /// request may be sent again.
    case notReached(ExchangeError)
    /// The request was sent, in whole or in part, and no usable answer came. The peer may or may not have acted on it.
    case noUsableAnswer(ExchangeError)
    /// The calling task was cancelled.
    case cancelled
}

/// The kinds of failure on the wire, for logs and metrics.
public enum ExchangeError: String, Error, Sendable, Equatable {
    /// The host name has no address.
    case resolve
    /// The connection could not be established.
    case connect
    /// The TLS handshake failed for a reason without a case of its own: no common protocol, no TLS at all, a revoked
    /// certificate.
    case tls
    /// The peer's certificate, or one above it, has expired or is not valid yet.
    case certificateExpired = "certificate-expired"
    /// The peer's certificate is for other host names.
    case certificateHost = "certificate-host"
    /// The peer's certificate is not signed by a trusted authority.
    case certificateAuthority = "certificate-authority"
    /// The deadline passed before the answer was complete.
    case timeout
    /// The peer closed the connection before the answer was complete.
    case closed
    /// The answer is not HTTP.
    case malformed
    /// The answer is larger than the client accepts.
    case tooLarge
    /// The client itself refused the request: it has as many as it may, or is shut down.
    case refusedLocally
    /// The request cannot be written as one HTTP message: a line break in a field, a field that belongs to the
    /// transport, an invalid method, an upload that failed or had another length than it said.
    case invalidRequest

    /// Advice for an operator about a certificate that was refused; nil for every other failure.
    public var advice: String? {
        switch self {
        case .certificateExpired: "renew the certificate there, or correct the clock of this machine"
        case .certificateHost: "correct the host of the address, or have that name added to the certificate"
        case .certificateAuthority: "name the file of the authority in outbound.caFile"
        case .resolve, .connect, .tls, .timeout, .closed, .malformed, .tooLarge, .refusedLocally, .invalidRequest: nil
        }
    }
}
