internal import Basics
internal import JOSE
internal import JSON

/// What a token says that it is, by the names that providers use for it.
extension JWTClaims {
    /// Values of `typ` in payloads, in lower case, that no access token has.
    private static let otherTypes: Set<String> = ["id", "refresh", "offline", "logout"]

    /// Values of `token_use`, in lower case, that access tokens have.
    private static let accessUses: Set<String> = ["access", "access_token"]

    /// The name of the claim that says that this is an ID token, a refresh token or a logout token; nil when none does.
    ///
    /// AM says it by `tokenName`, Keycloak by `typ`, others by `token_use`, everybody's logout tokens by `events`.
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

    /// Whether it is bound to a key (RFC 9449, RFC 8705), whether it says so by `cnf` or by its type: then it is no bearer
    /// token.
    var isBound: Bool {
        json["cnf"] != nil || says("token_type", "dpop") || says("typ", "dpop")
    }

    /// Whether it is an access token by the name that AM gives it.
    var isAccessTokenByName: Bool { string("tokenName")?.isSameText(as: "access_token") ?? false }

    /// Whether a claim is a word, whatever its case.
    func says(_ claim: String, _ word: String) -> Bool { string(claim)?.lowercased().isSameText(as: word) ?? false }

    /// The client that it was issued to, as far as it says.
    var client: String? { string("client_id") ?? string("azp") }

    /// Whether it is a client's own: nobody signed in, so there is nobody to ask for more.
    ///
    /// Providers mark these tokens in different ways: AM by `sub` being the sole `aud`, newer versions by `(age!…)`,
    /// RFC 9068 by `sub` being the client, others by the grant (`grant_type`, Auth0's `gty`), Keycloak by the name of a
    /// service account. Introspection adds `client_id` to every token, so that one alone says nothing.
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

    /// Keycloak's users have a session, which `sid` names; a service account has none, whatever it is called.
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
