internal import Basics
internal import JOSE
internal import JSON

/// The kind of a token, by the claims that providers use for it.
extension JWTClaims {
    /// The name of the claim that marks an ID token, a refresh token or a logout token; nil if no claim does.
    ///
    /// AM uses `tokenName`, Keycloak `typ`, other providers `token_use`; logout tokens of all providers have `events`.
    var otherKind: String? {
        // rule: a token that AM names otherwise is of another kind
        if has(.tokenName), !isAccessTokenByName { return "tokenName" }
        // rule: a token for another use is of another kind
        if has(.tokenUse), !isForAccess { return "token_use" }
        // rule: a token of events is of another kind
        if has(.events) { return "events" }
        // rule: a token whose claim typ says so is of another kind
        if isOtherType { return "typ" }
        return nil
    }

    private var isForAccess: Bool { says(.tokenUse, "access") || says(.tokenUse, "access_token") }

    private var isOtherType: Bool {
        says(.type, "id") || says(.type, "refresh") || says(.type, "offline") || says(.type, "logout")
    }

    /// True if the token names its client or a scope, by any of the claims that providers use.
    var namesClientOrScope: Bool {
        has(.clientID) || has(.authorizedParty) || has(.shortClientID) || has(.scope) || has(.shortScope)
    }

    /// True if the token is bound to a key by `cnf` or by its type, and is therefore no bearer token (RFC 9449, RFC
    /// 8705).
    var isBound: Bool {
        has(.confirmation) || says(.tokenType, "dpop") || says(.type, "dpop")
    }

    /// True if `tokenName`, a claim of AM, marks an access token.
    var isAccessTokenByName: Bool { isText(.tokenName, "access_token") }

    /// The client that the token was issued to, if the token names it.
    var client: String? { string(.clientID) ?? string(.authorizedParty) }

    /// True if the token is a client's own: no user signed in, so no user can step up.
    ///
    /// Providers mark these tokens in different ways: AM by `sub` being the sole `aud`, newer versions by `(age!…)`,
    /// RFC 9068 by `sub` being the client, others by the grant (`grant_type`, Auth0's `gty`), Keycloak by the name of a
    /// service account. Introspection adds `client_id` to every token, so that claim alone proves nothing.
    var isOfMachine: Bool {
        // rule: the empty subject is nobody
        guard let subject, !subject.isEmpty else { return true }
        return isGrantOfClient || subject.starts(withText: "(age!") || isOwnSubject(subject) || isServiceAccount
    }

    private var isGrantOfClient: Bool { isGrantOfClient(.grantType) || isGrantOfClient(.shortGrantType) }

    private func isGrantOfClient(_ claim: JWTClaim) -> Bool {
        if isText(claim) { return isText(claim, "client_credentials") || isText(claim, "client-credentials") }
        return self[claim]?.array?.contains { value in
            guard let grant = value.string else { return false }
            return grant.isSameText(as: "client_credentials") || grant.isSameText(as: "client-credentials")
        } ?? false
    }

    private func isOwnSubject(_ subject: String) -> Bool {
        if audiences.count == 1, audiences[0].isSameText(as: subject) { return true }
        return string(.clientID)?.isSameText(as: subject) ?? false
            || string(.authorizedParty)?.isSameText(as: subject) ?? false
    }

    /// True for a Keycloak service account, by its user name, or by the lack of a session, which `sid` names for users.
    private var isServiceAccount: Bool {
        if isNamedService(.preferredUsername) || isNamedService(.username) { return true }
        let isKeycloak = says(.type, "bearer") && has(.authorizedParty)
        return isKeycloak && !has(.sessionID) && !has(.sessionState) && !has(.authTime)
    }

    private func isNamedService(_ claim: JWTClaim) -> Bool {
        string(claim)?.starts(withText: "service-account-") ?? false
    }
}
