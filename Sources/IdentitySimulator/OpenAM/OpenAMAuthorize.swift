internal import Basics
internal import HTTPCore
internal import HTTPServer

/// `…/authorize`: a code for any live session; only the ID token states how strong the session is.
///
/// Refuses by docs/simulator.md, 'The dialect `openam`'.
struct OpenAMAuthorize: Sendable {
    private static let codeLifetime = Duration.seconds(120)

    let services: OAuthServices
    let issuer: String

    /// Client and redirect URI, which must be right before a response is redirected.
    private struct Target {
        let client: SimulatedClient
        let redirectURI: String
        let state: String?
    }

    func answer(_ call: SimulatedCall) -> ServerResponse {
        let parameters = call.method == .post ? call.form ?? QueryParameters() : call.query
        let target: Target
        do throws(OAuthError) {
            target = try self.target(parameters)
        } catch { return .openAMErrorPage(error) }
        do throws(OAuthError) {
            return try decide(parameters, target, call)
        } catch { return redirect(error, target) }
    }

    private func target(_ parameters: QueryParameters) throws(OAuthError) -> Target {
        if let name = parameters.firstRepeatedName {
            throw OAuthError(
                code: "invalid_request",
                description: "Invalid Request, duplicate request parameter found : \(name)")
        }
        guard let id = parameters.single("client_id") else {
            throw OAuthError(code: "invalid_request", description: "Missing parameter, client_id")
        }
        guard let client = services.client(id) else {
            throw OAuthError(code: "invalid_client", description: "Client authentication failed")
        }
        guard let uri = parameters.single("redirect_uri"), services.hasRedirectURI(uri, client) else {
            throw .redirectMismatch
        }
        return Target(client: client, redirectURI: uri, state: parameters.single("state"))
    }

    private func decide(
        _ parameters: QueryParameters, _ target: Target, _ call: SimulatedCall
    ) throws(OAuthError) -> ServerResponse {
        guard parameters.single("response_type") == "code" else {
            throw OAuthError(
                code: "unsupported_response_type", description: "Response type is not supported.")
        }
        let scopes = AuthorizeRequest.words(parameters.single("scope"))
        let unknown = scopes.filter { !target.client.scopes.contains($0) }
        guard unknown.isEmpty else { throw .invalidScopes(unknown) }
        guard !scopes.isEmpty else { throw .noScope }
        let prompts = AuthorizeRequest.words(parameters.single("prompt"))
        // The header named after the cookie is ignored.
        let token = call.cookieSession(services.settings.cookieName)
        guard let session = token.flatMap({ services.sessions.find($0, now: call.now) }) else {
            guard !prompts.contains("none") else {
                throw OAuthError(
                    code: "interaction_required",
                    description: "The request requires some interaction that is not allowed.")
            }
            return loginPage(call, parameters)
        }
        if prompts.contains("login") {
            _ = services.sessions.end(session.token)
            return loginPage(call, parameters)
        }
        if let text = parameters.single("max_age"), let seconds = Int64(text),
            call.now - session.authTime > .seconds(seconds)
        {
            _ = services.sessions.end(session.token)
            throw OAuthError(code: "login_required", description: "The request requires login.")
        }
        if !target.client.impliesConsent || prompts.contains("consent") {
            guard try hasConsent(parameters, prompts, in: call) else {
                return .openAMPage(
                    200, "OAuth2 Authorization Server", "pageData = { oauth2Data: { csrf: \"\(session.token)\" } }")
            }
            // The form came from another site.
            guard parameters.single("csrf") == session.token else {
                return .openAMErrorPage(
                    OAuthError(code: "bad_request", description: "Missing or invalid csrf parameter"))
            }
            guard parameters.single("decision") == "allow" else {
                throw OAuthError(
                    code: "access_denied", description: "Resource Owner did not authorize the request")
            }
        }
        return grant(parameters, target, scopes: scopes, session: session, for: call)
    }

    /// True if the user has answered the consent page; throws for `prompt=none`, which forbids the page.
    private func hasConsent(
        _ parameters: QueryParameters, _ prompts: [String], in call: SimulatedCall
    ) throws(OAuthError) -> Bool {
        guard !prompts.contains("none") else {
            throw OAuthError(code: "consent_required", description: "The request requires consent.")
        }
        return call.method == .post && parameters.single("decision") != nil
    }

    private func grant(
        _ parameters: QueryParameters, _ target: Target, scopes: [String], session: SSORecord, for call: SimulatedCall
    ) -> ServerResponse {
        let grant = IssuedGrant(
            id: Identifier.tracking(), clientID: target.client.id, user: session.user, scopes: scopes, issuer: issuer,
            realm: services.settings.realmName, grantType: "authorization_code", level: session.level,
            acr: acr(AuthorizeRequest.words(parameters.single("acr_values")), session), amr: session.amr.sorted(),
            authTime: session.authTime, sessionID: session.id, nonce: parameters.single("nonce"), state: target.state,
            trackingID: Identifier.tracking())
        let code = services.grants.add(
            CodeRecord(
                grant: grant, redirectURI: target.redirectURI, challenge: parameters.single("code_challenge"),
                expires: call.now + Self.codeLifetime))
        var answer = QueryParameters()
        answer.append("code", code)
        answer.append("scope", scopes.joined(separator: " "))
        answer.append("iss", issuer)
        if let state = target.state { answer.append("state", state) }
        answer.append("client_id", target.client.id)
        return .redirect(Self.append(answer, to: target.redirectURI))
    }

    /// The acr of a session: the first requested value whose journey the session went through.
    ///
    /// "0" if there is none; nil if no value was requested.
    private func acr(_ values: [String], _ session: SSORecord) -> String? {
        guard !values.isEmpty else { return nil }
        return values.first { value in
            services.settings.acrJourneys[value].map { session.journeys.contains($0) } ?? false
        } ?? "0"
    }

    /// Redirects an error, which does not name its issuer.
    private func redirect(_ error: OAuthError, _ target: Target) -> ServerResponse {
        var answer = QueryParameters()
        answer.append("error_description", error.description)
        if let state = target.state { answer.append("state", state) }
        answer.append("error", error.code)
        return .redirect(Self.append(answer, to: target.redirectURI))
    }

    private static func append(_ parameters: QueryParameters, to uri: String) -> String {
        uri + (uri.contains("?") ? "&" : "?") + parameters.encoded
    }

    private func loginPage(_ call: SimulatedCall, _ asked: QueryParameters) -> ServerResponse {
        var back = QueryParameters()
        for (name, value) in asked.pairs { back.append(name, name == "prompt" ? "" : value) }
        var parameters = QueryParameters()
        parameters.append("realm", services.settings.realmName)
        parameters.append("goto", call.base + call.path + "?" + back.encoded)
        var response = ServerResponse.redirect("\(call.base)/am/UI/Login?\(parameters.encoded)")
        response.status = 301
        return response
    }
}

extension OAuthError {
    static let noScope = OAuthError(
        code: "invalid_scope", description: "No scope requested and no default scope configured")
}
