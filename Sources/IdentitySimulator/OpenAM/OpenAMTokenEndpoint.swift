internal import Basics
internal import HTTPCore
internal import HTTPServer
internal import JSON

/// `…/access_token`: exchanges codes, refresh tokens and client credentials for tokens.
///
/// Refuses by docs/simulator.md, 'The dialect `openam`'.
struct OpenAMTokenEndpoint: Sendable {
    let services: OAuthServices
    let issuer: String

    func answer(_ call: SimulatedCall) -> ServerResponse {
        let form = call.form ?? QueryParameters()
        do throws(ClientCheck.RefusalError) {
            let client = try OpenAMClientCheck.strict.client(of: call, form, services)
            return respond(form, of: client, at: call.now)
        } catch { return error.response }
    }

    private func respond(_ form: QueryParameters, of client: SimulatedClient, at now: Timestamp) -> ServerResponse {
        do throws(OAuthError) {
            switch form.single("grant_type") {
            case nil, "": throw OAuthError(code: "invalid_request", description: "Grant type is not set")
            case "authorization_code": return try exchange(form, of: client, at: now)
            case "refresh_token": return try refresh(form, of: client, at: now)
            case "client_credentials": return try credentials(form, of: client, at: now)
            default:
                throw OAuthError(code: "unsupported_grant_type", description: "Grant type is not supported")
            }
        } catch { return .oauthError(400, error.code, error.description) }
    }

    private func exchange(
        _ form: QueryParameters, of client: SimulatedClient, at now: Timestamp
    ) throws(OAuthError) -> ServerResponse {
        guard let code = form.single("code") else {
            throw OAuthError(code: "invalid_request", description: "Missing parameter, 'code'")
        }
        let uri = form.single("redirect_uri") ?? ""
        guard services.hasRedirectURI(uri, client) else { throw .redirectMismatch }
        let grant = try services.grants.redeem(
            code, clientID: client.id, redirectURI: uri, verifier: form.single("code_verifier"), now: now)
        return OpenAMTokenMinter(services: services, client: client, now: now)
            .response(grant, scopes: grant.scopes, code: code, refreshed: false)
    }

    private func refresh(
        _ form: QueryParameters, of client: SimulatedClient, at now: Timestamp
    ) throws(OAuthError) -> ServerResponse {
        guard let token = form.all("refresh_token").first else {
            throw OAuthError(code: "invalid_request", description: "Missing parameter, 'refresh_token'")
        }
        let narrowed = form.single("scope").map { AuthorizeRequest.words($0) }
        let record: TokenRecord
        do throws(OAuthError) {
            record = try services.grants.refresh(token, scopes: narrowed, client: client, now: now)
        } catch {
            guard error == .invalidGrant else { throw error }
            throw OAuthError(code: "invalid_grant", description: "grant is invalid")
        }
        // A set of scopes does not keep the order of the request.
        return OpenAMTokenMinter(services: services, client: client, now: now)
            .response(record.grant, scopes: (narrowed ?? record.scopes).sorted(), code: nil, refreshed: true)
    }

    private func credentials(
        _ form: QueryParameters, of client: SimulatedClient, at now: Timestamp
    ) throws(OAuthError) -> ServerResponse {
        guard client.grantTypes.contains("client_credentials") else {
            throw OAuthError(
                code: "unauthorized_client",
                description: "The client is not authorized to request an authorization code using this method.")
        }
        let scopes = AuthorizeRequest.words(form.single("scope"))
        guard !scopes.isEmpty else { throw .noScope }
        let unknown = scopes.filter { !client.scopes.contains($0) }
        guard unknown.isEmpty else { throw .invalidScopes(unknown) }
        let grant = IssuedGrant(
            id: Identifier.tracking(), clientID: client.id, user: nil, scopes: scopes, issuer: issuer,
            realm: services.settings.realmName, grantType: "client_credentials", level: 0, acr: nil, amr: [],
            authTime: now, sessionID: "", nonce: nil, state: nil, trackingID: Identifier.tracking())
        services.grants.add(grant)
        return OpenAMTokenMinter(services: services, client: client, now: now)
            .response(grant, scopes: scopes, code: nil, refreshed: false)
    }
}
