internal import HTTPCore
internal import HTTPServer
internal import JOSE
internal import JSON

/// `…/connect/endSession` (OpenID Connect RP-Initiated Logout).
///
/// Refuses by OpenID Connect RP-Initiated Logout 1.0 section 4.
struct EndSessionEndpoint: Sendable {
    let services: OAuthServices

    func answer(_ call: SimulatedCall) -> ServerResponse {
        guard let parameters = call.method == .post ? call.form : call.query, parameters.firstRepeatedName == nil else {
            return .oauthError(400, "invalid_request", "Each parameter at most once")
        }
        guard let hint = parameters.single("id_token_hint"), let claims = claims(hint),
            let client = claims.audiences.first.flatMap({ services.client($0) }),
            parameters.single("client_id") ?? client.id == client.id
        else { return .oauthError(400, "bad_request", "No valid id_token_hint") }
        // An unregistered address is refused before the session ends.
        let uri = parameters.single("post_logout_redirect_uri")
        if let uri, !client.postLogoutRedirectURIs.contains(uri) {
            return .oauthError(
                400, "redirect_uri_mismatch",
                "The redirection URI provided does not match a pre-registered value.")
        }
        if let id = claims.string("sid") { services.sessions.end(id: id) }
        guard let uri else { return .json(200, [:]) }
        guard let state = parameters.single("state") else { return .redirect(uri) }
        var answer = QueryParameters()
        answer.append("state", state)
        return .redirect(uri + (uri.contains("?") ? "&" : "?") + answer.encoded)
    }

    /// The claims of an ID token that this provider issued; it may have expired.
    private func claims(_ token: String) -> JWTClaims? {
        guard let jws = try? JWS.parse(token),
            (try? jws.verify(with: services.keys.published, allowing: [.RS256, .ES256])) != nil,
            let claims = try? JWTClaims.parse(jws.payload), claims.string("tokenName") == "id_token"
        else { return nil }
        return claims
    }
}
