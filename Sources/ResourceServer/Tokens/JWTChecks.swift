internal import Basics
internal import JOSE
internal import JSON

/// The checks on a JWT access token whose signature was verified (RFC 9068 section 4, protocol/oidc.md 9.4).
struct JWTChecks: Sendable {
    let issuer: TrustedIssuer
    let now: Timestamp

    func check(_ header: JWSHeader, _ claims: JWTClaims) throws(TokenRefusal) -> TokenFacts {
        try checkIssuer(claims)
        try checkProfile(header, claims)
        try checkAudience(claims)
        let expires = try checkExpiry(claims)
        try checkNotBefore(claims)
        try checkIssuedAt(claims)
        try checkNotBound(claims)
        return TokenFacts(claims, issuer: issuer.issuer, expires: expires)
    }

    private func checkIssuer(_ claims: JWTClaims) throws(TokenRefusal) {
        guard let stated = claims.issuer, stated.isSameText(as: issuer.issuer) else { throw .invalid(check: "iss") }
    }

    /// Refresh and ID tokens of the same issuer, key and audience must not pass for access tokens.
    private func checkProfile(_ header: JWSHeader, _ claims: JWTClaims) throws(TokenRefusal) {
        let type = header.type?.lowercased()
        switch issuer.profile {
        case .rfc9068:
            guard type == "at+jwt" || type == "application/at+jwt" else { throw .invalid(check: "typ") }
        case .am:
            guard type == "jwt" || type == "at+jwt" else { throw .invalid(check: "typ") }
            guard claims.string("tokenName") == "access_token" else { throw .invalid(check: "tokenName") }
        case .pingOne:
            guard type == nil || type == "jwt" || type == "at+jwt" else { throw .invalid(check: "typ") }
            let client = claims.string("client_id")
            guard client == nil || !claims.audiences.contains(client ?? "") else { throw .invalid(check: "aud") }
            guard claims.scopes != nil, claims.json["nonce"] == nil, claims.json["at_hash"] == nil else {
                throw .invalid(check: "profile")
            }
        }
    }

    /// An allowed audience, or an allowed client where the provider puts the client there.
    private func checkAudience(_ claims: JWTClaims) throws(TokenRefusal) {
        guard issuer.isMeantForUs(claims) else { throw .invalid(check: "aud") }
    }

    private func checkExpiry(_ claims: JWTClaims) throws(TokenRefusal) -> Timestamp {
        guard let expires = claims.expires, now < expires + issuer.leeway else { throw .invalid(check: "exp") }
        return expires
    }

    private func checkNotBefore(_ claims: JWTClaims) throws(TokenRefusal) {
        if let notBefore = claims.notBefore, now + issuer.leeway < notBefore { throw .invalid(check: "nbf") }
    }

    private func checkIssuedAt(_ claims: JWTClaims) throws(TokenRefusal) {
        if let issued = claims.issuedAt, now + issuer.leeway < issued { throw .invalid(check: "iat") }
    }

    /// A token that is bound to a key (RFC 9449, RFC 8705) is no bearer token, whether it says so by `cnf` or by its type.
    private func checkNotBound(_ claims: JWTClaims) throws(TokenRefusal) {
        if claims.json["cnf"] != nil || claims.string("token_type")?.lowercased() == "dpop" {
            throw .invalid(check: "cnf")
        }
    }
}

extension JWTClaims {
    /// Whether it does not call itself something else, as AM's refresh and ID tokens do.
    var mayBeAccessToken: Bool { json["tokenName"] == nil || string("tokenName") == "access_token" }
}
