internal import HTTPServer
internal import JSON

/// `…/userinfo`: claims about the user of an access token.
///
/// Refuses by RFC 6750 section 3.1.
/// Refuses by OpenID Connect Core 5.3.3.
struct UserinfoEndpoint: Sendable {
    let services: OAuthServices

    func answer(_ call: SimulatedCall) -> ServerResponse {
        let fields = call.headers.values("authorization")
        guard let field = fields.first, fields.count == 1 else {
            return .oauthError(401, "invalid_request", "The access token is missing.", [challenge(nil)])
        }
        let halves = field.split(separator: " ", maxSplits: 1)
        guard halves.count == 2, halves[0].lowercased() == "bearer",
            let record = services.grants.find(String(halves[1]), now: call.now), record.kind == .access,
            let name = record.grant.user, let user = services.directory.user(name)
        else {
            return .oauthError(
                401, "invalid_token",
                "The access token provided is expired, revoked, malformed, or invalid for other reasons.",
                [challenge("invalid_token")])
        }
        guard record.scopes.contains("openid") else {
            return .oauthError(
                403, "insufficient_scope", "The scope openid is needed.", [challenge("insufficient_scope")])
        }
        var claims: JSONObject = ["sub": .string(record.grant.subject), "subname": .string(name)]
        if record.scopes.contains("profile") {
            claims["name"] = .string("\(user.givenName) \(user.familyName)")
            claims["given_name"] = .string(user.givenName)
            claims["family_name"] = .string(user.familyName)
            claims["preferred_username"] = .string(name)
            claims["updated_at"] = 1_575_671_644
        }
        if record.scopes.contains("email") {
            claims["email"] = .string(user.email)
            claims["email_verified"] = true
        }
        return .json(200, claims, [ResponseHeader("Pragma", "no-cache")])
    }

    private func challenge(_ error: String?) -> ResponseHeader {
        let suffix = error.map { ", error=\"\($0)\"" } ?? ""
        return ResponseHeader("WWW-Authenticate", "Bearer realm=\"\(services.settings.realmName)\"\(suffix)")
    }
}
