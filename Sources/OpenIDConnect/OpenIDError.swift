/// Why a request to a provider did not succeed.
///
/// The cases differ in what a caller does: only `invalidGrant` makes tokens useless; an outage never does.
public enum OpenIDError: Error, Sendable, Equatable {
    /// An OAuth error.
    ///
    /// `code` is a registered code or the provider's own, at most 64 printable characters. `status` is 302 where the
    /// error came to the redirect URI.
    case rejected(code: String, status: Int)
    /// The authorization server asks for a login: the session is invalid, or too weak for the request.
    case loginRequired
    /// The authorization server asks for the user's consent.
    case consentRequired
    /// The refresh token, code or authorization is spent, revoked or expired.
    case invalidGrant
    /// The tokens have no refresh token: no request was sent, and they stay valid until they expire.
    case noRefreshToken
    /// The provider does not accept this client: an operator has to act; the user is not signed out.
    case invalidClient
    /// Neither the metadata nor the settings name a revocation endpoint; the tokens stay valid at the provider.
    case noRevocation
    /// The request did not reach the provider.
    case notReached
    /// The provider is busy: it answered 429 or 503.
    case busy(retryAfter: Duration?)
    /// The request was sent, and no usable answer came: timeout, closed connection, 5xx, not JSON.
    case noUsableAnswer
    /// An answer breaks the protocol; names the rule, and the values where they may be shown.
    case invalidResponse(check: String, Mismatch? = nil)
    /// An ID token fails a check; names the check, and the values where they may be shown.
    case invalidIDToken(check: String, Mismatch? = nil)
    /// The userinfo answer is of another subject, not a JSON object, or too long.
    case invalidUserinfo
    /// The discovery document or the settings do not allow the request; the text names the reason, without secret
    /// values.
    case configuration(String)
    /// The calling task was cancelled.
    case cancelled
}
