public import HTTPCore

/// Why a provider's metadata or key set is not available.
public enum DiscoveryError: Error, Sendable, Equatable {
    /// No complete answer came before the deadline; a later retry may succeed.
    case unavailable(ExchangeError)
    /// The provider answered 429 or 503; retry after the wait that it asked for, nil if it named none.
    case busy(retryAfter: Duration?)
    /// The provider answered with this status instead of 200. Redirects are not followed.
    case unexpectedStatus(Int)
    /// The answer is not JSON of the expected shape, or is too large; `member` names the faulty member, nil if none is
    /// at fault.
    case malformed(member: String?)
    /// The metadata lack this member, which every sign-in needs.
    case missing(member: String)
    /// The document names another issuer: a secret sent to its endpoints would go to a stranger.
    ///
    /// `found` is the issuer in the document, at most 200 printable characters; `expected` is the issuer that it should
    /// name.
    case issuerMismatch(found: String, expected: String)
    /// The address in this member is neither on the issuer's origin nor allow-listed, or uses http without permission.
    case addressRefused(member: String)
    /// The calling task was cancelled.
    case cancelled

    /// True if the same request may succeed later without a change of configuration.
    public var isTransient: Bool {
        switch self {
        case .unavailable, .busy, .cancelled: true
        case .unexpectedStatus(let status): status >= 500
        case .malformed, .missing, .issuerMismatch, .addressRefused: false
        }
    }
}
