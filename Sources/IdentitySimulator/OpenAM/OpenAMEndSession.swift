internal import HTTPCore
internal import HTTPServer
internal import JOSE
internal import JSON

/// `…/connect/endSession`.
///
/// Refuses by docs/simulator.md, 'The dialect `openam`'.
struct OpenAMEndSession: Sendable {
    let services: OAuthServices

    func answer(_ call: SimulatedCall) -> ServerResponse {
        guard let hint = call.query.single("id_token_hint") else {
            return .oauthError(
                400, "bad_request", "The endSession endpoint requires an id_token_hint parameter")
        }
        guard let jws = try? JWS.parse(hint), let claims = try? JWTClaims.parse(jws.payload),
            let session = claims.string("org.forgerock.openidconnect.ops")
        else {
            return .oauthError(
                400, "server_error",
                "Internal Server Error (500) - The server encountered an unexpected condition which prevented it from "
                    + "fulfilling the request")
        }
        services.sessions.end(id: session)
        guard let uri = call.query.single("post_logout_redirect_uri") else { return ServerResponse(status: 204) }
        let client = claims.audiences.first.flatMap { services.client($0) }
        guard let client, client.postLogoutRedirectURIs.contains(uri) else {
            return .openAMErrorPage(.redirectMismatch)
        }
        return .redirect(uri)
    }
}
