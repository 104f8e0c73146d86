internal import Basics
internal import JOSE
internal import JSON

/// The kind of a token, by the claims that providers use for it.
extension JWTClaims {
    /// Values of `typ` in payloads, in lower case, that mark tokens other than access tokens.
    private static let otherTypes: Set<String> = ["id", "refresh", "offline", "logout"]

    /// Values of `token_use`, in lower case, that mark access tokens.
    private static let accessUses: Set<String> = ["access", "access_token"]

    /// The name of the claim that marks an ID token, a refresh token or a logout token; nil if no claim does.
    ///
    /// AM uses `tokenName`, Keycloak `typ`, other providers `token_use`; logout tokens of all providers have `events`.
    var otherKind: String? {
        // rule: a token that AM names otherwise is of another kind
        if json["tokenName"] != nil, !isAccessTokenByName { return "tokenName" }
        // rule: a token for another use is of another kind
        if let use = json["token_use"], !Self.accessUses.contains(use.string?.lowercased() ?? "") { return "token_use" }
        // rule: a token of events is of another kind
        if json["events"] != nil { return "events" }
        // rule: a token whose claim typ says so is of another kind
        if let type = string("typ")?.lowercased(), Self.otherTypes.contains(type) { return "typ" }
        return nil
    }

    /// True if the token is bound to a key by `cnf` or by its type, and is therefore no bearer token (RFC 9449, RFC
    /// 8705).
    var isBound: Bool {
        json["cnf"] != nil || says("token_type", "dpop") || says("typ", "dpop")
    }

    /// True if `tokenName`, a claim of AM, marks an access token.
    var isAccessTokenByName: Bool { string("tokenName")?.isSameText(as: "access_token") ?? false }

    /// True if a claim has this text, compared without regard to case.
    func says(_ claim: String, _ word: String) -> Bool { string(claim)?.lowercased().isSameText(as: word) ?? false }

    /// The client that the token was issued to, if the token names it.
    var client: String? { string("client_id") ?? string("azp") }

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

    private var isGrantOfClient: Bool {
        ["grant_type", "gty"].contains { name in
            let values = string(name).map { [$0] } ?? json[name]?.array?.compactMap(\.string) ?? []
            return values.contains {
                $0.isSameText(as: "client_credentials") || $0.isSameText(as: "client-credentials")
            }
        }
    }

    private func isOwnSubject(_ subject: String) -> Bool {
        let sole = audiences.count == 1 ? audiences[0] : nil
        return [string("client_id"), string("azp"), sole].contains { $0?.isSameText(as: subject) ?? false }
    }

    /// True for a Keycloak service account, by its user name, or by the lack of a session, which `sid` names for users.
    private var isServiceAccount: Bool {
        if ["preferred_username", "username"].contains(where: {
            string($0)?.starts(withText: "service-account-") ?? false
        }) {
            return true
        }
        let isKeycloak = says("typ", "bearer") && json["azp"] != nil
        return isKeycloak && ["sid", "session_state", "auth_time"].allSatisfy { json[$0] == nil }
    }
}
