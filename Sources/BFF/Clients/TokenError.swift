package import OpenIDConnect

/// The reason why a call about tokens failed.
package enum TokenError: Error, Sendable, Equatable {
    /// The grant is spent, revoked or expired; the tokens are of no use.
    case invalidGrant
    /// The provider session is gone: it gives no more tokens.
    case sessionEnded
    /// The tokens have no refresh token; they are good until they end.
    case noRefreshToken
    /// The provider session lives but is too weak for what was asked.
    case tooWeak
    /// The provider wants its user to sign in; it is unknown whether the provider session lives.
    case loginRequired
    /// The provider session lives, and the provider wants the user's consent.
    case consentRequired
    /// The provider cannot be asked now; tokens and sessions stay good.
    case unavailable(retryAfter: Duration)
    /// The provider does not know this client, or not its secret: after an operator has fixed that, the same call
    /// succeeds.
    case unknownClient(check: String)
    /// The provider's documents or our settings do not allow the call: after an operator has fixed that, it succeeds.
    case misconfigured(check: String)
    /// The provider has no endpoint for the call.
    case unsupported
    /// The provider refuses this client, or its answer failed a check: an operator must act; the user cannot.
    case refused(check: String, Mismatch? = nil)
}

extension TokenError {
    /// The check that an operator has to look at; nil for a failure that passes by itself or concerns the user alone.
    package var check: String? {
        switch self {
        case .refused(let check, _), .unknownClient(let check), .misconfigured(let check): check
        case .unsupported: "no such endpoint"
        case .invalidGrant, .noRefreshToken, .sessionEnded, .tooWeak, .loginRequired, .consentRequired,
            .unavailable:
            nil
        }
    }

    /// The expected and the found value of the check, if a log may contain them.
    package var mismatch: Mismatch? {
        if case .refused(_, let mismatch) = self { mismatch } else { nil }
    }
}

extension TokenError {
    /// Translates an error of the OpenID client into an error of the use cases.
    ///
    /// `advice` is a hint for the operator in case the provider does not know the client.
    package init(_ error: OpenIDError, _ advice: String? = nil) {
        self =
            switch error {
            case .invalidGrant: .invalidGrant
            case .noRefreshToken: .noRefreshToken
            case .loginRequired: .tooWeak
            case .consentRequired: .consentRequired
            case .notReached, .noUsableAnswer, .cancelled: .unavailable(retryAfter: .seconds(5))
            case .busy(let wait): .unavailable(retryAfter: wait ?? .seconds(5))
            case .invalidClient:
                .unknownClient(check: "client authentication" + (advice.map { ": \($0)" } ?? ""))
            case .noRevocation: .unsupported
            case .rejected(let code, let status): .refused(check: code.isEmpty ? "status \(status)" : code)
            case .invalidResponse(let check, let mismatch), .invalidIDToken(let check, let mismatch):
                .refused(check: check, mismatch)
            case .invalidUserinfo: .refused(check: "userinfo")
            case .configuration(let what): .misconfigured(check: what)
            }
    }
}
