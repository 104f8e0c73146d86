internal import HTTPCore
internal import HTTPServer
internal import JSON

/// `…/token/revoke` (RFC 7009).
///
/// Refuses by RFC 7009 section 2.1.
/// Refuses by RFC 7009 section 2.2.1.
struct RevokeEndpoint: Sendable {
    let services: OAuthServices

    func answer(_ call: SimulatedCall) -> ServerResponse {
        guard let form = call.form, form.firstRepeatedName == nil else {
            return .oauthError(400, "invalid_request", "A form with each parameter once is needed")
        }
        let client: SimulatedClient
        do throws(ClientCheck.RefusalError) {
            client = try ClientCheck.client(of: call, form, services)
        } catch { return error.response }
        guard let token = form.single("token") else {
            return .oauthError(400, "invalid_request", "token is missing")
        }
        if let owner = services.grants.owner(of: token), owner != client.id {
            return .oauthError(400, "invalid_grant", "The token was issued to another client")
        }
        services.grants.revoke(token, clientID: client.id)
        return .json(200, [:], [ResponseHeader("Pragma", "no-cache")])
    }
}
