/// Why a provider's answer was not what was asked for.
///
/// The cases tell apart what a caller acts on: only `invalidGrant` makes tokens useless; an outage never does.
public enum OpenIDError: Error, Sendable, Equatable {
    /// An OAuth error; `code` is from the registry or the provider's own, at most 64 printable characters. `status` is 302
    /// where the browser, or who stands in for it, brought the error to the redirect URI.
    case rejected(code: String, status: Int)
    /// The authorization server wants its login page shown: the session is invalid, or too weak for what was asked.
    case loginRequired
    /// The authorization server wants the user's consent.
    case consentRequired
    /// The refresh token, code or authorization is spent, revoked or expired.
    case invalidGrant
    /// The tokens have no refresh token: nothing was asked, and they are good until they end.
    case noRefreshToken
    /// The provider does not know us: an operator has to act, the user is not signed out.
    case invalidClient
    /// The provider has no revocation endpoint that it or the settings name; the tokens stay good there.
    case noRevocation
    /// Nothing reached the provider.
    case notReached
    /// The provider is busy: it said 429 or 503.
    case busy(retryAfter: Duration?)
    /// Sent, and no usable answer came: timeout, closed, 5xx, not JSON.
    case noUsableAnswer
    /// An answer that breaks the protocol; names the rule, and the values where they may be told.
    case invalidResponse(check: String, Mismatch? = nil)
    /// An ID token that fails a check; names it, and the values where they may be told.
    case invalidIDToken(check: String, Mismatch? = nil)
    /// The userinfo answer is of another subject, not a JSON object, or too long.
    case invalidUserinfo
    /// The discovery document or our own settings do not allow it; says what, without values.
    case configuration(String)
    /// The calling task was cancelled.
    case cancelled
}
