extension BFFError {
    /// What a fault about tokens means to the caller of an operation.
    init(_ failure: TokenError) {
        self =
            switch failure {
            case .invalidGrant, .sessionEnded: .signedOut
            case .noRefreshToken, .tooWeak, .consentRequired: .interactionNeeded
            case .unavailable(let wait): .providerUnavailable(retryAfter: wait)
            case .refused, .unknownClient, .unsupported: .providerRefused
            }
    }
}
