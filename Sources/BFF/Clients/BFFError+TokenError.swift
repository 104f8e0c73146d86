extension BFFError {
    /// Translates an error about tokens into the error of the operation that needed them.
    init(_ error: TokenError) {
        self =
            switch error {
            case .invalidGrant, .sessionEnded: .signedOut
            case .noRefreshToken, .tooWeak, .loginRequired, .consentRequired: .interactionNeeded
            case .unavailable(let wait): .providerUnavailable(retryAfter: wait)
            case .refused, .unknownClient, .misconfigured, .unsupported: .providerRefused
            }
    }
}
