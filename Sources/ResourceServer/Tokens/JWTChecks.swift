internal import Basics
internal import JOSE
internal import JSON

/// The checks on a JWT access token whose signature was verified (RFC 9068 section 4; docs/protocol.md,
/// 'Access tokens').
struct JWTChecks: Sendable {
    /// The entry of the issuer: a reference, because its settings are many and are only read.
    private let entry: TokenVerifier.Issuer
    private let now: Timestamp

    init(_ entry: TokenVerifier.Issuer, now: Timestamp) {
        self.entry = entry
        self.now = now
    }

    func check(_ header: JWSHeader, _ claims: JWTClaims) throws(TokenCheckError) -> TokenFacts {
        // rule: a signed token names its issuer
        try checkIssuer(claims)
        // rule: a signed token that is bound to a key is no bearer token
        try checkNotBound(claims)
        try checkProfile(header, claims)
        // rule: a signed token is meant for this API
        try checkAudience(claims)
        let expires = try checkExpiry(claims)
        // rule: a signed token is not used before its time
        try checkNotBefore(claims)
        // rule: a signed token is not issued in the future
        try checkIssuedAt(claims)
        return TokenFacts(claims, issuer: entry.trust.issuer, expires: expires)
    }

    private func checkIssuer(_ claims: JWTClaims) throws(TokenCheckError) {
        guard let stated = claims.issuer, entry.trust.isNamed(stated) else { throw .invalid(check: "iss") }
    }

    /// Checks that the token is marked as an access token: refresh, ID and logout tokens may have its issuer, key and
    /// audience.
    private func checkProfile(_ header: JWSHeader, _ claims: JWTClaims) throws(TokenCheckError) {
        let isAccessTokenType = header.hasType("at+jwt") || header.hasType("application/at+jwt")
        switch entry.trust.profile {
        case .rfc9068:
            // rule: a token of RFC 9068 has its type
            guard isAccessTokenType else { throw .invalid(check: "typ") }
            // rule: a token of RFC 9068 has what every one has
            try checkRequired(claims)
        case .jwt:
            // rule: a token of a foreign provider has no other type
            guard isAccessTokenType || header.type == nil || header.hasType("jwt") else { throw .invalid(check: "typ") }
            // rule: a token of a foreign provider is no other kind by its claim typ
            guard !claims.has(.type) || claims.says(.type, "bearer") else {
                throw .invalid(check: "typ")
            }
            // rule: a token of a foreign provider has no at_hash
            guard !claims.has(.accessTokenHash) else { throw .invalid(check: "at_hash") }
            // rule: a token without any type is looked at for ID tokens
            if !isAccessTokenType, !claims.has(.type) { try checkUnmarked(claims) }
        case .am:
            // rule: a token of AM has a type
            guard header.hasType("jwt") || isAccessTokenType else { throw .invalid(check: "typ") }
            // rule: a token of AM is an access token by its name
            guard claims.isAccessTokenByName else { throw .invalid(check: "tokenName") }
        case .pingOne:
            // rule: a token of PingOne has no other type
            guard header.type == nil || header.hasType("jwt") || isAccessTokenType else { throw .invalid(check: "typ") }
            let client = claims.string(.clientID)
            // rule: a token of PingOne is not for its own client
            guard client == nil || !claims.audiences.contains(where: { $0.isSameText(as: client ?? "") }) else {
                throw .invalid(check: "aud")
            }
            // rule: a token of PingOne has scopes and nothing of an ID token
            guard claims.statesScopes, !claims.has(.nonce), !claims.has(.accessTokenHash) else {
                throw .invalid(check: "profile")
            }
        }
        // rule: a signed token is no token of another kind
        if let claim = claims.otherKind { throw .invalid(check: claim) }
    }

    /// Checks the claims that every token of RFC 9068 has (section 2.2).
    private func checkRequired(_ claims: JWTClaims) throws(TokenCheckError) {
        // rule: a token of RFC 9068 has a subject that is not empty
        guard let subject = claims.subject, !subject.isEmpty else { throw .invalid(check: "sub") }
        // rule: a token of RFC 9068 says when it was issued
        guard claims.issuedAt != nil else { throw .invalid(check: "iat") }
        // rule: a token of RFC 9068 has an id
        guard claims.isText(.id) else { throw .invalid(check: "jti") }
        // rule: a token of RFC 9068 names its client
        guard claims.isText(.clientID) else {
            throw .invalid(
                check: "client_id", advice: !claims.has(.authorizedParty) ? nil : "the token has azp: use profile jwt")
        }
    }

    /// Checks that a token without a mark of its kind is no ID token, which names its client as audience and has no
    /// scope.
    private func checkUnmarked(_ claims: JWTClaims) throws(TokenCheckError) {
        guard !claims.isText(.tokenName) else { return }
        // rule: an unmarked token for its own client is an ID token
        if let client = claims.client, claims.audiences.contains(where: { $0.isSameText(as: client) }) {
            throw .invalid(check: "aud", advice: "an ID token, or an access token for its own client")
        }
        // rule: an unmarked token names its client or a scope
        guard claims.namesClientOrScope else {
            throw .invalid(check: "profile", advice: "an ID token: it names neither its client nor a scope")
        }
    }

    /// Checks for an allowed audience, or for an allowed client where the provider names the client instead.
    private func checkAudience(_ claims: JWTClaims) throws(TokenCheckError) {
        guard entry.trust.isMeantForUs(claims) else { throw .invalid(check: "aud") }
    }

    private func checkExpiry(_ claims: JWTClaims) throws(TokenCheckError) -> Timestamp {
        // rule: a signed token has not expired
        guard let expires = claims.expires, now < expires + entry.trust.leeway else { throw .invalid(check: "exp") }
        return expires
    }

    private func checkNotBefore(_ claims: JWTClaims) throws(TokenCheckError) {
        if let notBefore = claims.notBefore, now + entry.trust.leeway < notBefore { throw .invalid(check: "nbf") }
    }

    private func checkIssuedAt(_ claims: JWTClaims) throws(TokenCheckError) {
        if let issued = claims.issuedAt, now + entry.trust.leeway < issued { throw .invalid(check: "iat") }
    }

    private func checkNotBound(_ claims: JWTClaims) throws(TokenCheckError) {
        if claims.isBound { throw .invalid(check: "cnf") }
    }
}
