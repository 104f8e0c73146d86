internal import Basics
internal import JOSE
internal import JSON

/// The checks of OpenID Connect Back-Channel Logout 1.0 section 2.6 on a logout token, in their order.
struct LogoutTokenChecks: Sendable {
    /// The time after which a token is too old, so that its `jti` need not be remembered for longer.
    static let longestAge = Duration.seconds(600)
    /// The event that makes a token a logout token.
    static let event = "http://schemas.openid.net/event/backchannel-logout"
    /// The most bytes of `sub`, `sid` and `jti`.
    private static let longestName = 255

    let issuer: String
    let clientID: String
    let now: Timestamp
    let leeway: Duration

    /// Checks header and claims.
    ///
    /// - Throws: `.invalidIDToken` naming the check.
    func check(_ claims: JWTClaims, _ header: JWSHeader) throws(OpenIDError) -> LogoutNotice {
        // rule: a logout token has no other type
        try checkType(header)
        // rule: a logout token is of the client's issuer
        guard let stated = claims.issuer, stated.isSameText(as: issuer) else { throw .invalidIDToken(check: "iss") }
        // rule: a logout token is for this client
        guard claims.audiences.contains(where: { $0.isSameText(as: clientID) }) else {
            throw .invalidIDToken(check: "aud")
        }
        let issuedAt = try issuedAt(claims)
        // rule: a logout token that expires has not expired
        if let expires = claims.expires, now >= expires + leeway { throw .invalidIDToken(check: "exp") }
        // rule: a logout token is not used before its time
        if let notBefore = claims.notBefore, now + leeway < notBefore { throw .invalidIDToken(check: "nbf") }
        let subject = try name(claims, "sub")
        let sessionID = try name(claims, "sid")
        // rule: a logout token names a user or a session
        guard subject != nil || sessionID != nil else { throw .invalidIDToken(check: "sub") }
        // rule: a logout token has the logout event
        try checkEvent(claims)
        // rule: a logout token has no nonce
        if claims.json["nonce"] != nil { throw .invalidIDToken(check: "nonce") }
        guard let tokenID = try name(claims, "jti") else { throw .invalidIDToken(check: "jti") }
        return LogoutNotice(
            issuer: issuer, subject: subject, sessionID: sessionID, tokenID: tokenID, issuedAt: issuedAt,
            staleAt: issuedAt + Self.longestAge + leeway)
    }

    /// Refuses the types of other tokens.
    ///
    /// The type is recommended, not required, and older servers sign `JWT` or none. An ID token, which may have the same
    /// type, lacks the event and has a nonce.
    private func checkType(_ header: JWSHeader) throws(OpenIDError) {
        guard let type = header.type?.lowercased() else { return }
        guard ["jwt", "application/jwt", "logout+jwt", "application/logout+jwt"].contains(where: type.isSameText) else {
            throw .invalidIDToken(check: "typ")
        }
    }

    private func issuedAt(_ claims: JWTClaims) throws(OpenIDError) -> Timestamp {
        // rule: a logout token says when it was issued, which is not ahead
        guard let issuedAt = claims.issuedAt, issuedAt <= now + leeway else { throw .invalidIDToken(check: "iat") }
        // rule: a logout token is not old
        guard now < issuedAt + Self.longestAge + leeway else { throw .invalidIDToken(check: "iat") }
        return issuedAt
    }

    /// The event's member has to be there and to be an object; what is in it does not matter.
    private func checkEvent(_ claims: JWTClaims) throws(OpenIDError) {
        guard let events = claims.json["events"]?.object, events[Self.event]?.object != nil else {
            throw .invalidIDToken(check: "events")
        }
    }

    /// A text claim of 1 to 255 bytes; nil if it is absent.
    private func name(_ claims: JWTClaims, _ claim: String) throws(OpenIDError) -> String? {
        guard let value = claims.json[claim], !value.isNull else { return nil }
        // rule: a name in a logout token has a bounded length
        guard let text = value.string, 1...Self.longestName ~= text.utf8.count else {
            throw .invalidIDToken(check: claim)
        }
        return text
    }
}
