internal import Basics
internal import JOSE
internal import JSON

/// The checks on a token that its issuer calls active.
///
/// They are needed because issuers call refresh and ID tokens active too, and because the answer may come from a cache.
struct IntrospectionChecks: Sendable {
    let issuer: TrustedIssuer
    let now: Timestamp
    /// True if the signature has already shown that the token is an access token for us.
    let isVerified: Bool

    func check(_ claims: JWTClaims) throws(TokenCheckError) -> TokenFacts {
        try checkIssuer(claims)
        // rule: an active token that is bound to a key is no bearer token
        try checkNotBound(claims)
        try checkKind(claims)
        // rule: an active token is meant for this API
        try checkAudience(claims)
        try checkTimes(claims)
        return TokenFacts(claims, issuer: issuer.issuer, expires: claims.expires)
    }

    private func checkIssuer(_ claims: JWTClaims) throws(TokenCheckError) {
        guard let stated = claims.issuer else { return }
        // rule: an active token is of the issuer that was asked
        guard issuer.isNamed(stated) else { throw .invalid(check: "iss") }
    }

    private func checkNotBound(_ claims: JWTClaims) throws(TokenCheckError) {
        if claims.isBound { throw .invalid(check: "cnf") }
    }

    /// Checks that the type is `Bearer`, or `access_token`, which AM sends.
    ///
    /// Some issuers leave the type out, also for refresh tokens. Then only one of our audiences shows that the token is
    /// an access token for us: a refresh token has the client as audience, or no audience.
    private func checkKind(_ claims: JWTClaims) throws(TokenCheckError) {
        // rule: an active token is no token of another kind
        if let claim = claims.otherKind { throw .invalid(check: claim) }
        // rule: an active token has no at_hash
        if claims.has(.accessTokenHash) { throw .invalid(check: "at_hash") }
        guard let value = claims[.tokenType], !value.isNull else {
            // rule: an active token without a type has our audience
            guard isVerified || issuer.isAudience(claims) else { throw .invalid(check: "token_type") }
            return
        }
        // rule: an active token has the type of an access token
        guard let type = value.string?.lowercased(), ["bearer", "access_token"].contains(where: type.isSameText) else {
            throw .invalid(check: "token_type")
        }
    }

    /// Checks the audience; for a verified token only if the answer names an audience or, with `clients`, a client.
    private func checkAudience(_ claims: JWTClaims) throws(TokenCheckError) {
        if isVerified, !claims.has(.audience), issuer.clients.isEmpty || claims.client == nil { return }
        guard issuer.isMeantForUs(claims) else { throw .invalid(check: "aud") }
    }

    private func checkTimes(_ claims: JWTClaims) throws(TokenCheckError) {
        // rule: an active token has not expired
        if let expires = claims.expires, now >= expires + issuer.leeway { throw .invalid(check: "exp") }
        // rule: an active token is not used before its time
        if let notBefore = claims.notBefore, now + issuer.leeway < notBefore { throw .invalid(check: "nbf") }
    }
}
