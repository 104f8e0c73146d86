extension BFFError {
    /// What an error about tokens means to the caller of an operation.
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
