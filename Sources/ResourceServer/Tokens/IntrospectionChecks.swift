internal import Basics
internal import JOSE
internal import JSON

/// What is checked of a token although its issuer calls it active: issuers do so for refresh and ID tokens too, and the
/// answer may come out of a cache.
struct IntrospectionChecks: Sendable {
    let issuer: TrustedIssuer
    let now: Timestamp
    /// Whether the signature showed already that it is an access token for us.
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

    /// The type is `Bearer`, or `access_token` as AM says.
    ///
    /// Where an issuer leaves it out, as some do for refresh tokens, only an audience of ours shows that the token is for
    /// calling us: a refresh token has the client's, or none.
    private func checkKind(_ claims: JWTClaims) throws(TokenCheckError) {
        // rule: an active token is no token of another kind
        if let claim = claims.otherKind { throw .invalid(check: claim) }
        // rule: an active token has no at_hash
        if claims.json["at_hash"] != nil { throw .invalid(check: "at_hash") }
        guard let value = claims.json["token_type"], !value.isNull else {
            // rule: an active token without a type has our audience
            guard isVerified || issuer.isAudience(claims) else { throw .invalid(check: "token_type") }
            return
        }
        // rule: an active token has the type of an access token
        guard let type = value.string?.lowercased(), ["bearer", "access_token"].contains(where: type.isSameText) else {
            throw .invalid(check: "token_type")
        }
    }

    /// A verified token is for us by what it says itself, unless the answer names somebody else.
    private func checkAudience(_ claims: JWTClaims) throws(TokenCheckError) {
        if isVerified, claims.json["aud"] == nil, issuer.clients.isEmpty || claims.client == nil { return }
        guard issuer.isMeantForUs(claims) else { throw .invalid(check: "aud") }
    }

    private func checkTimes(_ claims: JWTClaims) throws(TokenCheckError) {
        // rule: an active token has not expired
        if let expires = claims.expires, now >= expires + issuer.leeway { throw .invalid(check: "exp") }
        // rule: an active token is not used before its time
        if let notBefore = claims.notBefore, now + issuer.leeway < notBefore { throw .invalid(check: "nbf") }
    }
}
