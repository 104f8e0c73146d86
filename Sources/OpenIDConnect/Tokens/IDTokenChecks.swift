internal import Basics
internal import Cryptography
internal import JOSE
internal import JSON

/// The checks of OpenID Connect Core 3.1.3.7 and 12.2 on an ID token, in their order, after its signature was verified.
struct IDTokenChecks: Sendable {
    let issuer: String
    let clientID: String
    let now: Timestamp
    let leeway: Duration

    /// The values that the first ID token of a grant must fit.
    struct Grant {
        var nonce: String
        var code: String
        var state: String
        var accessToken: String
        var demands: SignInDemands
    }

    /// The checks on the first ID token of a grant.
    func check(_ claims: JWTClaims, _ header: JWSHeader, _ grant: Grant) throws(OpenIDError) {
        try checkCommon(claims, header, accessToken: grant.accessToken)
        // rule: an ID token has the nonce that was sent
        try checkNonce(claims, grant.nonce)
        // rule: an ID token fits the code
        try checkHash(claims, "c_hash", of: grant.code, header)
        // rule: an ID token fits the state
        try checkHash(claims, "s_hash", of: grant.state, header)
        // rule: an ID token shows the class that was asked for
        try checkACR(claims, grant.demands.acr)
        // rule: an authentication is no older than what was asked for
        try checkAuthTime(claims, notBefore: grant.demands.notBefore)
        // rule: an authentication is as young as max_age asks
        try checkAge(claims, grant.demands.maxAge)
    }

    /// The checks on an ID token that came with a refresh: it must be about the same user as the one before.
    ///
    /// Class and time of authentication may differ: providers state those of the session as it is now, which another
    /// client may have strengthened. `SignInFacts` decides how far they count.
    ///
    /// `before` has the claims of the stored ID token; nil when none is stored.
    func checkRefreshed(
        _ claims: JWTClaims, _ header: JWSHeader, accessToken: String, subject: String, before: JWTClaims?
    ) throws(OpenIDError) {
        try checkCommon(claims, header, accessToken: accessToken)
        // rule: a refresh brings the same user's ID token
        guard let new = claims.subject, new.isSameText(as: subject) else { throw .invalidIDToken(check: "sub") }
        // rule: a refresh brings no other nonce
        try checkNonceUnchanged(claims, before)
    }

    /// The time at which the provider wants the client's session to end, `session_expiry` of IPSIE's OpenID Connect
    /// profiles; nil if it states none.
    ///
    /// - Throws: `.invalidIDToken` for anything but a whole number: an end that is not understood cannot be kept.
    func sessionEnd(_ claims: JWTClaims) throws(OpenIDError) -> Timestamp? {
        guard let value = claims.json["session_expiry"], value != .null else { return nil }
        // rule: the end of a session is a number of seconds
        if value.int == nil { throw .invalidIDToken(check: "session_expiry") }
        return value.int.map { Timestamp(seconds: $0) }
    }

    private func checkCommon(
        _ claims: JWTClaims, _ header: JWSHeader, accessToken: String
    ) throws(OpenIDError) {
        // rule: an ID token has no other type
        try checkType(header)
        // rule: an ID token is of the issuer
        try checkIssuer(claims)
        // rule: an ID token is for this client
        try checkAudience(claims)
        // rule: an ID token's authorized party is this client
        try checkAuthorizedParty(claims)
        // rule: an ID token has not expired
        try checkExpiry(claims)
        // rule: an ID token is not issued in the future
        try checkIssuedAt(claims)
        // rule: an ID token is not used before its time
        try checkNotBefore(claims)
        // rule: an ID token has a subject of 1 to 255 bytes
        try checkSubject(claims)
        // rule: an ID token that has a name is called one
        try checkKind(claims)
        // rule: an ID token is no logout token
        try checkNoEvents(claims)
        // rule: an ID token fits the access token
        try checkHash(claims, "at_hash", of: accessToken, header)
    }

    /// Access and logout tokens of the same issuer have another `typ` (RFC 9068, RFC 8725 3.11).
    private func checkType(_ header: JWSHeader) throws(OpenIDError) {
        guard let type = header.type?.lowercased() else { return }
        guard type == "jwt" || type == "application/jwt" else {
            throw .invalidIDToken(check: "typ", Mismatch(expected: "JWT", found: header.type))
        }
    }

    private func checkIssuer(_ claims: JWTClaims) throws(OpenIDError) {
        guard let stated = claims.issuer, stated.isSameText(as: issuer) else {
            throw .invalidIDToken(check: "iss", Mismatch(expected: issuer, found: claims.issuer))
        }
    }

    private func checkAudience(_ claims: JWTClaims) throws(OpenIDError) {
        guard claims.audiences.contains(where: { $0.isSameText(as: clientID) }) else {
            let found = claims.audiences.isEmpty ? nil : claims.audiences.joined(separator: " ")
            throw .invalidIDToken(check: "aud", Mismatch(expected: clientID, found: found))
        }
    }

    /// Several audiences require an authorized party, and a present one must be this client.
    private func checkAuthorizedParty(_ claims: JWTClaims) throws(OpenIDError) {
        let party = claims.json["azp"]
        // rule: one audience needs no authorized party
        if party == nil, claims.audiences.count == 1 { return }
        guard let stated = party?.string, stated.isSameText(as: clientID) else {
            throw .invalidIDToken(check: "azp", Mismatch(expected: clientID, found: party?.string))
        }
    }

    private func checkExpiry(_ claims: JWTClaims) throws(OpenIDError) {
        guard let expires = claims.expires, now < expires + leeway else {
            throw .invalidIDToken(check: "exp", mismatch("after", now - leeway, claims.expires))
        }
    }

    private func checkIssuedAt(_ claims: JWTClaims) throws(OpenIDError) {
        guard let issued = claims.issuedAt, issued <= now + leeway else {
            throw .invalidIDToken(check: "iat", mismatch("up to", now + leeway, claims.issuedAt))
        }
    }

    private func checkNotBefore(_ claims: JWTClaims) throws(OpenIDError) {
        if let notBefore = claims.notBefore, now + leeway < notBefore {
            throw .invalidIDToken(check: "nbf", mismatch("up to", now + leeway, notBefore))
        }
    }

    /// Makes a mismatch of two times, in seconds since 1970 as in tokens.
    private func mismatch(_ word: String, _ expected: Timestamp, _ found: Timestamp?) -> Mismatch {
        Mismatch(expected: "\(word) \(expected.seconds)", found: found.map { "\($0.seconds)" })
    }

    private func checkSubject(_ claims: JWTClaims) throws(OpenIDError) {
        guard let subject = claims.subject, (1...255).contains(subject.utf8.count) else {
            throw .invalidIDToken(check: "sub")
        }
    }

    /// Access and refresh tokens may be JWTs of the same issuer, key and audience; only the claim `tokenName` tells
    /// them apart (docs/protocol.md, 'ID tokens').
    private func checkKind(_ claims: JWTClaims) throws(OpenIDError) {
        guard let name = claims.json["tokenName"] else { return }
        guard name.string == "id_token" else {
            throw .invalidIDToken(check: "tokenName", Mismatch(expected: "id_token", found: name.string))
        }
    }

    /// Refuses a logout token or another security event of the same issuer, key and audience.
    ///
    /// Such a token reports that a session ended; it never proves a sign-in (OpenID Connect Back-Channel Logout 1.0
    /// section 2.4, RFC 8417).
    private func checkNoEvents(_ claims: JWTClaims) throws(OpenIDError) {
        if claims.json["events"] != nil { throw .invalidIDToken(check: "events") }
    }

    private func checkNonce(_ claims: JWTClaims, _ nonce: String) throws(OpenIDError) {
        guard let stated = claims.string("nonce"), stated.isSameText(as: nonce) else {
            throw .invalidIDToken(check: "nonce")
        }
    }

    /// A required class that the token does not state is a failure: an absent claim never counts as met.
    private func checkACR(_ claims: JWTClaims, _ required: [String]) throws(OpenIDError) {
        guard !required.isEmpty else { return }
        guard let acr = claims.acr, required.contains(where: { $0.isSameText(as: acr) }) else {
            let expected = required.joined(separator: " ")
            throw .invalidIDToken(check: "acr", Mismatch(expected: expected, found: claims.acr))
        }
    }

    private func checkAuthTime(_ claims: JWTClaims, notBefore: Timestamp?) throws(OpenIDError) {
        guard let notBefore else { return }
        try checkAuthTime(claims, from: notBefore - leeway)
    }

    private func checkAge(_ claims: JWTClaims, _ maxAge: Duration?) throws(OpenIDError) {
        guard let maxAge else { return }
        try checkAuthTime(claims, from: now - maxAge - leeway)
    }

    /// Requires an authentication time that is neither before an instant nor in the future.
    private func checkAuthTime(_ claims: JWTClaims, from earliest: Timestamp) throws(OpenIDError) {
        // rule: a time of authentication lies between its bounds
        guard let authTime = claims.authTime, authTime >= earliest, authTime <= now + leeway else {
            let expected = "\(earliest.seconds) to \((now + leeway).seconds)"
            throw .invalidIDToken(
                check: "auth_time", Mismatch(expected: expected, found: claims.authTime.map { "\($0.seconds)" }))
        }
    }

    /// A refreshed ID token may state the nonce of the sign-in or none (Core 12.2).
    private func checkNonceUnchanged(_ claims: JWTClaims, _ before: JWTClaims?) throws(OpenIDError) {
        guard let new = claims.string("nonce"), let old = before?.string("nonce") else { return }
        guard new.isSameText(as: old) else { throw .invalidIDToken(check: "nonce") }
    }

    /// Requires the left half of the digest of `text`, by the signature's algorithm, when the claim is present (Core
    /// 3.1.3.6).
    private func checkHash(
        _ claims: JWTClaims, _ name: String, of text: String, _ header: JWSHeader
    ) throws(OpenIDError) {
        guard let claim = claims.json[name], !claim.isNull else { return }
        guard let stated = claim.string, let hash = header.hash else { throw .invalidIDToken(check: name) }
        let digest = Digest.hash(utf8: text, hash)
        guard stated.isSameText(as: Base64URL.encode(digest.prefix(digest.count / 2))) else {
            throw .invalidIDToken(check: name)
        }
    }
}
