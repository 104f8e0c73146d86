/// Why a token is not taken; names the check, never a value.
enum TokenRefusal: Error, Sendable, Equatable {
    /// The caller gets 401 `invalid_token`.
    case invalid(check: String)
    /// The caller gets 503: the token could not be judged now.
    case unavailable
    /// The caller gets 503 and somebody has to act: the issuer refuses us, or its documents cannot be used.
    case misconfigured(what: String)
}
