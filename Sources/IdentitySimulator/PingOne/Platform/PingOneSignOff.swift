internal import HTTPCore
internal import HTTPServer
internal import JOSE
internal import JSON

/// `as/signoff` and `as/idpSignoff`: end a session, by its cookies or by an ID token.
///
/// Refuses by docs/protocol.md, 'DaVinci'.
/// Refuses by OpenID Connect RP-Initiated Logout 1.0 section 4.
struct PingOneSignOff: Sendable {
    let services: OAuthServices
    let issuer: String

    func answer(_ call: SimulatedCall) -> ServerResponse {
        let isPing = call.segments.last == "idpSignoff"
        let named = call.query.single("client_id")
        let hint = call.query.single("id_token_hint").map { claims($0) }
        guard call.query.firstRepeatedName == nil else { return Self.refused(isPing) }
        if isPing {
            guard services.settings.pingOne.allowsPingSignOff, case .some(.some(let claims)) = hint, let named,
                claims.audiences == [named]
            else { return Self.refused(true) }
            if let id = claims.string("sid") { services.sessions.end(id: id) }
            return ServerResponse(status: 204, headers: PingOneCookies.gone)
        }
        // A hint that this provider did not issue, or issued to another application, is refused before the session
        // ends.
        if let hint, hint == nil || named.map({ hint?.audiences == [$0] }) == false { return Self.refused(false) }
        let uri = call.query.single("post_logout_redirect_uri")
        let client = (named ?? hint??.audiences.first).flatMap { services.client($0) }
        if let uri, client?.postLogoutRedirectURIs.contains(uri) != true { return Self.refused(false) }
        // The cookie of an ended session is ignored; a hint may name an ended session.
        let isEnded = PingOneCookies.session(call).map { services.sessions.end($0) } ?? false
        if !isEnded {
            guard let id = hint??.string("sid") else { return Self.refused(false) }
            services.sessions.end(id: id)
        }
        var response = uri.map { ServerResponse.redirect($0) } ?? ServerResponse(status: 204)
        response.headers += PingOneCookies.gone
        return response
    }

    private static func refused(_ isPing: Bool) -> ServerResponse {
        isPing
            ? .pingError(403, "ACCESS_FAILED", "The application does not allow this")
            : .redirect("https://apps.pingone.example/signon/?error=invalid_request")
    }

    /// The claims of an ID token that this provider issued; it may have expired.
    func claims(_ token: String) -> JWTClaims? {
        guard let jws = try? JWS.parse(token),
            (try? jws.verify(with: services.keys.published, allowing: [.RS256, .ES256])) != nil,
            let claims = try? JWTClaims.parse(jws.payload), claims.issuer == issuer,
            claims.json["at_hash"] != nil
        else { return nil }
        return claims
    }
}
