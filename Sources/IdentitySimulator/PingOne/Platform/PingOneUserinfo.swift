internal import HTTPServer
internal import JSON

/// `as/userinfo`: claims about the user of an access token.
///
/// Refuses by RFC 6750 section 3.1.
struct PingOneUserinfo: Sendable {
    let services: OAuthServices

    func answer(_ call: SimulatedCall) -> ServerResponse {
        let field = call.headers.single("authorization")?.split(separator: " ", maxSplits: 1) ?? []
        guard field.count == 2, field[0].lowercased() == "bearer",
            let record = services.grants.find(String(field[1]), now: call.now), record.kind == .access,
            let name = record.grant.user, let user = services.directory.user(name)
        else {
            return .oauthError(
                401, "invalid_token", "Access token invalid",
                [ResponseHeader("WWW-Authenticate", "Bearer error=\"invalid_token\"")])
        }
        let environment = services.settings.pingOne.environment
        var claims: JSONObject = [
            "sub": .string(PingOneID.subject(name)), "env": .string(environment),
            "org": .string(PingOneID.uuid("organisation " + environment)), "p1.region": "EU",
        ]
        if record.scopes.contains("profile") {
            claims["preferred_username"] = .string(name)
            claims["given_name"] = .string(user.givenName)
            claims["family_name"] = .string(user.familyName)
            claims["updated_at"] = 1_719_859_270
        }
        if record.scopes.contains("email") { claims["email"] = .string(user.email) }
        return .json(200, claims)
    }
}
