internal import HTTPCore
internal import HTTPServer
internal import JOSE

/// `as/authorize` with `response_type` `none` or `id_token`, by which Ping's clients ask if a session is alive.
///
/// The response is a redirect (OAuth 2.0 Multiple Response Type Encoding Practices 1.0; OpenID Connect Core 3.2.2).
struct PingOneSessionQuestion: Sendable {
    /// The response types that start no flow.
    static let types: Set = ["none", "id_token"]

    let services: OAuthServices
    let issuer: String

    func answer(
        _ parameters: QueryParameters, _ type: String, _ call: SimulatedCall
    ) throws(ClientCheck.RefusalError) -> ServerResponse {
        let target: AuthorizeRequest.Target
        do throws(OAuthError) {
            target = try AuthorizeRequest.target(parameters, services)
        } catch { throw PingOneRequest.signOnPage(error.code) }
        let session = PingOneCookies.session(call).flatMap { services.sessions.find($0, now: call.now) }
        let isSilent = parameters.single("prompt") == "none"
        guard parameters.firstRepeatedName == nil, type == "none" || parameters.single("nonce") != nil else {
            return redirect([("error", "invalid_request")], type, target)
        }
        guard let session, isOfHint(parameters.single("id_token_hint"), session) else {
            guard isSilent else { throw PingOneRequest.signOnPage("login_required") }
            return redirect([("error", "login_required")], type, target)
        }
        guard type == "id_token" else { return redirect([], type, target) }
        let grant = IssuedGrant(
            id: Identifier.random(20), clientID: target.client.id, user: session.user, scopes: ["openid"],
            issuer: issuer, realm: "", grantType: "implicit", level: 0, acr: nil, amr: session.amr,
            authTime: session.authTime, sessionID: session.id, nonce: parameters.single("nonce"), state: target.state,
            trackingID: Identifier.tracking())
        let minter = PingOneMinter(services: services, client: target.client, now: call.now)
        do throws(SimulatorError) {
            return redirect([("id_token", try minter.identityAlone(grant))], type, target)
        } catch { return redirect([("error", "server_error")], type, target) }
    }

    /// True if there is no hint, or the hint names the session's user (OpenID Connect Core 3.1.2.1).
    private func isOfHint(_ hint: String?, _ session: SSORecord) -> Bool {
        guard let hint else { return true }
        let claims = PingOneSignOff(services: services, issuer: issuer).claims(hint)
        return claims?.subject == PingOneID.subject(session.user)
    }

    /// Redirects the answer to the redirect URI; for `id_token` in the fragment.
    private func redirect(
        _ answer: [(String, String)], _ type: String, _ target: AuthorizeRequest.Target
    ) -> ServerResponse {
        var parameters = QueryParameters()
        for (name, value) in answer { parameters.append(name, value) }
        if let state = target.state { parameters.append("state", state) }
        guard !parameters.pairs.isEmpty else { return .redirect(target.redirectURI) }
        let mark = type == "id_token" ? "#" : target.redirectURI.contains("?") ? "&" : "?"
        return .redirect(target.redirectURI + mark + parameters.encoded)
    }
}
