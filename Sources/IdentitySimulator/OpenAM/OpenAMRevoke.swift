internal import Basics
internal import HTTPCore
internal import HTTPServer
internal import JSON

/// `…/token/revoke`: ends an access token, or with a refresh token the whole grant.
///
/// Refuses by docs/simulator.md, 'The dialect `openam`'.
struct OpenAMRevoke: Sendable {
    let services: OAuthServices

    func answer(_ call: SimulatedCall) -> ServerResponse {
        let form = call.form ?? QueryParameters()
        let client: SimulatedClient
        do throws(ClientCheck.RefusalError) {
            client = try OpenAMClientCheck(checksMethod: false, challenges: true).client(of: call, form, services)
        } catch { return error.response }
        guard let token = form.all("token").first else {
            return .oauthError(400, "invalid_request", "Missing parameter: token")
        }
        if let owner = services.grants.owner(of: token), owner != client.id {
            return .oauthError(
                400, "invalid_grant", "The provided token id : \(token) belongs to different access grant.")
        }
        services.grants.revoke(token, clientID: client.id)
        return .json(200, [:])
    }
}
