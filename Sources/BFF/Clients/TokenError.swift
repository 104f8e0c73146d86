package import OpenIDConnect

/// Why a call about tokens failed.
package enum TokenError: Error, Sendable, Equatable {
    /// The grant is spent, revoked or expired; the tokens are of no use.
    case invalidGrant
    /// The provider session is gone: it cannot give tokens any more.
    case sessionEnded
    /// The tokens have no refresh token; they are good until they end.
    case noRefreshToken
    /// The provider session lives but is too weak for what was asked.
    case tooWeak
    /// The provider wants its user to sign in; whether the provider session lives is not known.
    case loginRequired
    /// The provider session lives, and the provider wants the user's consent.
    case consentRequired
    /// The provider cannot be asked now; what there is stays good.
    case unavailable(retryAfter: Duration)
    /// The provider does not know us or not our secret: someone must act, and then the same call goes through.
    case unknownClient(check: String)
    /// The provider's documents or our settings do not allow the call: someone must act, and then it goes through.
    case misconfigured(check: String)
    /// The provider has nothing that can be asked for this.
    case unsupported
    /// The provider refuses us, or its answer failed a check: someone must act; the user cannot.
    case refused(check: String, Mismatch? = nil)
}

extension TokenError {
    /// What an operator has to look at; nil for what passes by itself or concerns the user alone.
    var check: String? {
        switch self {
        case .refused(let check, _), .unknownClient(let check), .misconfigured(let check): check
        case .unsupported: "no such endpoint"
        case .invalidGrant, .noRefreshToken, .sessionEnded, .tooWeak, .loginRequired, .consentRequired,
            .unavailable:
            nil
        }
    }

    /// The values of what the check was about, where a log may have them.
    var mismatch: Mismatch? {
        if case .refused(_, let mismatch) = self { mismatch } else { nil }
    }
}

extension TokenError {
    /// A fault of the OpenID client in the words of the use cases.
    ///
    /// `advice` is what an operator may try when the provider does not know the client.
    init(_ error: OpenIDError, _ advice: String? = nil) {
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
