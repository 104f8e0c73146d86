public import HTTPCore

/// Why there is no metadata or no key set of a provider.
public enum DiscoveryError: Error, Sendable, Equatable {
    /// No complete answer came before the deadline; worth another try later.
    case unavailable(ExchangeError)
    /// The provider said 429 or 503; worth another try after the wait it asked for, where it did.
    case busy(retryAfter: Duration?)
    /// The provider answered with this status instead of 200. Redirects are not followed.
    case unexpectedStatus(Int)
    /// The answer is not JSON of the expected shape, or too large; names the member at fault where it is one.
    case malformed(member: String?)
    /// The metadata lacks this member, without which no sign-in can be checked.
    case missing(member: String)
    /// The document says that it belongs to another issuer: a secret sent to its endpoints would go to a stranger.
    ///
    /// `found` is the name in the document, at most 200 printable characters; `expected` the one that it should have.
    case issuerMismatch(found: String, expected: String)
    /// The address under this member is not on the issuer's origin and not allow-listed, or is http without need.
    case addressRefused(member: String)
    /// The calling task was cancelled.
    case cancelled

    /// Whether the same request may succeed later without a change of configuration.
    public var isTransient: Bool {
        switch self {
        case .unavailable, .busy, .cancelled: true
        case .unexpectedStatus(let status): status >= 500
        case .malformed, .missing, .issuerMismatch, .addressRefused: false
        }
    }
}
