internal import Discovery
internal import HTTPCore

/// The reason why a token is not accepted; names the check, never a value.
enum TokenCheckError: Error, Sendable, Equatable {
    /// The caller gets 401 `invalid_token`; `advice` is for the readers of the log.
    case invalid(check: String, advice: String? = nil)
    /// The caller gets 503: the token could not be judged now.
    case unavailable(what: String, retryAfter: Duration = AccessDecision.usualWait)
    /// The caller gets 503 and an operator has to act: the issuer refuses us, or its documents cannot be used.
    case misconfigured(what: String, retryAfter: Duration = AccessDecision.usualWait)
}

extension TokenCheckError {
    /// Translates a failure to get the issuer's documents.
    init(_ failure: DocumentError) {
        let wait = max(failure.retryAfter, .seconds(1))
        self =
            switch failure.cause {
            case .unavailable(let cause):
                .unavailable(what: "the issuer cannot be reached (\(cause.rawValue))", retryAfter: wait)
            case .busy where failure.isTooEarly:
                .unavailable(what: "a key that is not known yet; the keys were fetched a moment ago", retryAfter: wait)
            case .busy: .unavailable(what: "the issuer is too busy", retryAfter: wait)
            case .cancelled: .unavailable(what: "every caller has left", retryAfter: wait)
            case .unexpectedStatus(let status) where failure.cause.isTransient:
                .unavailable(what: "the issuer's document answers with status \(status)", retryAfter: wait)
            case .unexpectedStatus(let status):
                .misconfigured(what: "the issuer's document answers with status \(status)", retryAfter: wait)
            case .malformed(member: "keys"):
                .misconfigured(what: "the issuer publishes no key that can be used", retryAfter: wait)
            case .malformed(let member):
                .misconfigured(
                    what: "the issuer's document cannot be read" + (member.map { " at \($0)" } ?? ""), retryAfter: wait)
            case .missing(let member):
                .misconfigured(what: "the issuer's metadata lacks \(member)", retryAfter: wait)
            case .issuerMismatch:
                .misconfigured(what: "the discovery document names another issuer", retryAfter: wait)
            case .addressRefused(let member):
                .misconfigured(
                    what: "the address under \(member) is on another origin; endpointOrigins may allow it",
                    retryAfter: wait)
            }
    }
}
