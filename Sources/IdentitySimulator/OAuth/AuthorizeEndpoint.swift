internal import Basics
internal import HTTPCore
internal import HTTPServer

/// `…/authorize`: a code for a session that is strong enough, the login page otherwise.
///
/// Refuses by RFC 6749 section 4.1.2.1.
/// Refuses by OpenID Connect Core 3.1.2.6.
/// Refuses by docs/protocol.md, 'Answers to an authorization request'.
struct AuthorizeEndpoint: Sendable {
    private static let codeLifetime = Duration.seconds(120)

    let services: OAuthServices
    let issuer: String
    let pushed: PushedRequests

    func answer(_ call: SimulatedCall) -> ServerResponse {
        guard let sent = call.method == .post ? call.form : call.query else {
            return .oauthError(400, "invalid_request", "A form is needed")
        }
        var parameters = sent
        if let uri = sent.all("request_uri").first {
            guard let found = pushed.take(uri, client: sent.single("client_id"), now: call.now) else {
                return .oauthError(400, "invalid_request_uri", "The request_uri is unknown, used or expired")
            }
            parameters = found
            let decision = ["decision", "csrf"]
            pushed.check(sent, beside: found, allowing: decision)
            for name in decision { sent.single(name).map { parameters.append(name, $0) } }
        } else if services.settings.requiresPushedRequests {
            return .oauthError(400, "invalid_request", "Authorization Server requires Pushed Authorization Requests")
        }
        let target: AuthorizeRequest.Target
        do throws(OAuthError) {
            target = try AuthorizeRequest.target(parameters, services)
        } catch { return .oauthError(400, error.code, error.description) }
        do throws(OAuthError) {
            return try decide(try AuthorizeRequest(parameters, target), parameters, call)
        } catch { return redirect(error, target) }
    }

    private func decide(
        _ request: AuthorizeRequest, _ parameters: QueryParameters, _ call: SimulatedCall
    ) throws(OAuthError) -> ServerResponse {
        let session = call.sessionToken(services.settings.cookieName).flatMap {
            services.sessions.find($0, now: call.now)
        }
        let ends = session.map { request.prompts.contains("login") || isTooOld($0, request, call.now) } ?? false
        if ends, let session { _ = services.sessions.logOut(session.token, now: call.now) }
        guard let session, !ends, isStrongEnough(session, request) else {
            guard !request.prompts.contains("none") else {
                throw OAuthError(code: "login_required", description: "The request requires login.")
            }
            // A session that is too weak gets the login page even with `authorize401`.
            if session == nil, services.settings.ping.authorize401 { return .amError(401, "Access Denied") }
            return loginPage(call, parameters)
        }
        if !request.client.impliesConsent || request.prompts.contains("consent") {
            guard !request.prompts.contains("none") else {
                throw OAuthError(code: "consent_required", description: "The request requires consent.")
            }
            guard call.method == .post, parameters.single("decision") != nil else { return .consentPage }
            guard parameters.single("csrf") == session.token else {
                return .oauthError(400, "bad_request", "The csrf value is not that of the session")
            }
            guard parameters.single("decision") == "allow" else {
                throw OAuthError(
                    code: "access_denied", description: "Resource Owner did not authorize the request")
            }
        }
        return grant(request, session, call)
    }

    /// True if the sign-in is longer ago than max_age.
    ///
    /// Like `prompt=login`, that ends the session, unless it is client-side (docs/protocol.md, 'Authorization with a
    /// session').
    private func isTooOld(_ session: SSORecord, _ request: AuthorizeRequest, _ now: Timestamp) -> Bool {
        request.maxAge.map { now - session.authTime > .seconds($0) } ?? false
    }

    /// True if the session meets scopes and acr values, each of which may need a stronger sign-in; unknown acr values
    /// need nothing.
    private func isStrongEnough(_ session: SSORecord, _ request: AuthorizeRequest) -> Bool {
        let settings = services.settings
        for scope in request.scopes where session.level < settings.scopeLevels[scope, default: 0] { return false }
        let levels = request.acrValues.compactMap { settings.acrLevels[$0] }
        if let least = levels.min(), session.level < least { return false }
        return true
    }

    private func grant(_ request: AuthorizeRequest, _ session: SSORecord, _ call: SimulatedCall) -> ServerResponse {
        let grant = IssuedGrant(
            id: Identifier.random(20), clientID: request.client.id, user: session.user, scopes: request.scopes,
            issuer: issuer, realm: services.settings.realmName, grantType: "authorization_code", level: session.level,
            acr: services.acr(session.level), amr: session.amr, authTime: session.authTime, sessionID: session.id,
            nonce: request.nonce, state: request.state, trackingID: Identifier.tracking())
        let code = services.grants.add(
            CodeRecord(
                grant: grant, redirectURI: request.redirectURI, challenge: request.challenge,
                expires: call.now + Self.codeLifetime))
        var parameters = QueryParameters()
        parameters.append("code", code)
        parameters.append("iss", issuer)
        if let state = request.state { parameters.append("state", state) }
        parameters.append("client_id", request.client.id)
        return .redirect(Self.append(parameters, to: request.redirectURI))
    }

    private func redirect(_ error: OAuthError, _ target: AuthorizeRequest.Target) -> ServerResponse {
        var parameters = QueryParameters()
        parameters.append("error_description", error.description)
        if let state = target.state { parameters.append("state", state) }
        parameters.append("iss", issuer)
        parameters.append("error", error.code)
        return .redirect(Self.append(parameters, to: target.redirectURI))
    }

    private static func append(_ parameters: QueryParameters, to uri: String) -> String {
        uri + (uri.contains("?") ? "&" : "?") + parameters.encoded
    }

    /// The redirect to the login page, which leads back to the request without `prompt=login`.
    ///
    /// With that prompt the request would end the new session, too.
    private func loginPage(_ call: SimulatedCall, _ asked: QueryParameters) -> ServerResponse {
        var back = QueryParameters()
        for (name, value) in asked.pairs {
            let kept = name == "prompt" ? AuthorizeRequest.words(value).filter { $0 != "login" } : [value]
            if !kept.isEmpty { back.append(name, kept.joined(separator: " ")) }
        }
        var parameters = QueryParameters()
        parameters.append("realm", services.settings.realmName)
        parameters.append("goto", call.base + call.path + "?" + back.encoded)
        return .redirect("\(call.base)/am/UI/Login?\(parameters.encoded)")
    }
}
