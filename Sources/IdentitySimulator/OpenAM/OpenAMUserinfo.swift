internal import HTTPServer
internal import JSON

/// `…/userinfo`: the user name as typed, and the claims of the scopes; refusals have no challenge.
///
/// Refuses by docs/simulator.md, 'The dialect `openam`'.
struct OpenAMUserinfo: Sendable {
    let services: OAuthServices

    func answer(_ call: SimulatedCall) -> ServerResponse {
        let halves = call.headers.values("authorization").first?.split(separator: " ", maxSplits: 1) ?? []
        guard halves.count == 2, halves[0].lowercased() == "bearer",
            let record = services.grants.find(String(halves[1]), now: call.now), record.kind == .access
        else {
            return .oauthError(
                401, "invalid_token",
                "The access token provided is expired, revoked, malformed, or invalid for other reasons.")
        }
        // A token may outlive its owner's account.
        guard let name = record.grant.user, let user = services.directory.user(name), user.isActive else {
            return .oauthError(400, "unauthorized_client", "Not able to get client from OpenAM")
        }
        var claims: JSONObject = [:]
        if record.scopes.contains("profile") { claims["name"] = .string("\(user.givenName) \(user.familyName)") }
        claims["sub"] = .string(name)
        if record.scopes.contains("profile") {
            claims["given_name"] = .string(user.givenName)
            claims["family_name"] = .string(user.familyName)
        }
        if record.scopes.contains("email") { claims["email"] = .string(user.email) }
        return .json(200, claims)
    }
}
