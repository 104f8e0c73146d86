internal import Basics
internal import Cryptography
internal import JOSE
internal import JSON

/// The checks of OpenID Connect Core 3.1.3.7 and 12.2 on an ID token whose signature was verified, in their order.
struct IDTokenChecks: Sendable {
    let issuer: String
    let clientID: String
    let now: Timestamp
    let leeway: Duration

    /// The checks on the first ID token of a grant.
    func check(
        _ claims: JWTClaims, _ algorithm: JWSAlgorithm?, nonce: String, code: String, accessToken: String,
        state: String,
        notBefore: Timestamp?
    ) throws(OpenIDError) {
        try checkCommon(claims, algorithm, accessToken: accessToken)
        try checkNonce(claims, nonce)
        try checkHash(claims, "c_hash", of: code, algorithm)
        try checkHash(claims, "s_hash", of: state, algorithm)
        try checkAuthTime(claims, notBefore)
    }

    /// The checks on an ID token that came with a refresh (Core 12.2).
    func checkRefreshed(
        _ claims: JWTClaims, _ algorithm: JWSAlgorithm?, accessToken: String, subject: String, authTime: Timestamp?
    ) throws(OpenIDError) {
        try checkCommon(claims, algorithm, accessToken: accessToken)
        guard claims.subject == subject else { throw .invalidIDToken(check: "sub") }
        if let authTime, let new = claims.authTime, new.seconds != authTime.seconds {
            throw .invalidIDToken(check: "auth_time")
        }
    }

    private func checkCommon(
        _ claims: JWTClaims, _ algorithm: JWSAlgorithm?, accessToken: String
    ) throws(OpenIDError) {
        try checkIssuer(claims)
        try checkAudience(claims)
        try checkAuthorizedParty(claims)
        try checkExpiry(claims)
        try checkIssuedAt(claims)
        try checkNotBefore(claims)
        try checkSubject(claims)
        try checkKind(claims)
        try checkHash(claims, "at_hash", of: accessToken, algorithm)
    }

    private func checkIssuer(_ claims: JWTClaims) throws(OpenIDError) {
        guard claims.issuer == issuer else { throw .invalidIDToken(check: "iss") }
    }

    private func checkAudience(_ claims: JWTClaims) throws(OpenIDError) {
        guard claims.audiences.contains(clientID) else { throw .invalidIDToken(check: "aud") }
    }

    /// Several audiences need an authorized party, and one that is present must be us.
    private func checkAuthorizedParty(_ claims: JWTClaims) throws(OpenIDError) {
        let party = claims.json["azp"]
        if party == nil, claims.audiences.count == 1 { return }
        guard party?.string == clientID else { throw .invalidIDToken(check: "azp") }
    }

    private func checkExpiry(_ claims: JWTClaims) throws(OpenIDError) {
        guard let expires = claims.expires, now < expires + leeway else { throw .invalidIDToken(check: "exp") }
    }

    private func checkIssuedAt(_ claims: JWTClaims) throws(OpenIDError) {
        guard let issued = claims.issuedAt, issued <= now + leeway else { throw .invalidIDToken(check: "iat") }
    }

    private func checkNotBefore(_ claims: JWTClaims) throws(OpenIDError) {
        if let notBefore = claims.notBefore, now + leeway < notBefore { throw .invalidIDToken(check: "nbf") }
    }

    private func checkSubject(_ claims: JWTClaims) throws(OpenIDError) {
        guard let subject = claims.subject, (1...255).contains(subject.utf8.count) else {
            throw .invalidIDToken(check: "sub")
        }
    }

    /// AM's access and refresh tokens are JWTs of the same issuer, key and audience (protocol/oidc.md 9.4).
    private func checkKind(_ claims: JWTClaims) throws(OpenIDError) {
        if let name = claims.string("tokenName"), name != "id_token" { throw .invalidIDToken(check: "tokenName") }
    }

    private func checkNonce(_ claims: JWTClaims, _ nonce: String) throws(OpenIDError) {
        guard claims.string("nonce") == nonce else { throw .invalidIDToken(check: "nonce") }
    }

    private func checkAuthTime(_ claims: JWTClaims, _ notBefore: Timestamp?) throws(OpenIDError) {
        guard let notBefore else { return }
        guard let authTime = claims.authTime, authTime + leeway >= notBefore, authTime <= now + leeway else {
            throw .invalidIDToken(check: "auth_time")
        }
    }

    /// The left half of the digest that belongs to the signature's algorithm (Core 3.1.3.6), when the claim is there.
    private func checkHash(
        _ claims: JWTClaims, _ name: String, of text: String, _ algorithm: JWSAlgorithm?
    ) throws(OpenIDError) {
        guard let claim = claims.json[name], !claim.isNull else { return }
        guard let stated = claim.string, let hash = algorithm?.tokenHash else { throw .invalidIDToken(check: name) }
        let digest = Digest.hash(Array(text.utf8), hash)
        guard Base64URL.encode(digest.prefix(digest.count / 2)) == stated else { throw .invalidIDToken(check: name) }
    }
}

extension JWSAlgorithm {
    /// The digest of `at_hash` and its kin; Ed25519 signs over SHA-512.
    fileprivate var tokenHash: HashAlgorithm {
        switch self {
        case .RS256, .PS256, .ES256: .sha256
        case .RS384, .PS384, .ES384: .sha384
        case .RS512, .PS512, .EdDSA: .sha512
        }
    }
}
