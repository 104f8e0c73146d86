internal import Basics
internal import HTTPCore
internal import HTTPServer
internal import JSON

/// `…/access_token`: exchanges codes, refresh tokens and client credentials for tokens.
///
/// Refuses by RFC 6749 section 5.2.
struct TokenEndpoint: Sendable {
    let services: OAuthServices
    let issuer: String

    func answer(_ call: SimulatedCall) -> ServerResponse {
        guard let form = call.form else { return .oauthError(400, "invalid_request", "A form is needed") }
        if let name = form.firstRepeatedName {
            return .oauthError(400, "invalid_request", "Duplicate parameter \(name)")
        }
        // A secret or code in a URL would end up in logs.
        guard call.query.all("client_secret").isEmpty, call.query.all("code").isEmpty,
            call.query.all("refresh_token").isEmpty
        else { return .oauthError(400, "invalid_request", "Parameters belong into the body") }
        do throws(ClientCheck.RefusalError) {
            let client = try ClientCheck.client(of: call, form, services)
            return respond(form, of: client, at: call.now)
        } catch { return error.response }
    }

    private func respond(_ form: QueryParameters, of client: SimulatedClient, at now: Timestamp) -> ServerResponse {
        do throws(OAuthError) {
            guard let grantType = form.single("grant_type") else {
                throw OAuthError(code: "invalid_request", description: "Grant type is missing")
            }
            guard ["authorization_code", "refresh_token", "client_credentials"].contains(grantType) else {
                throw OAuthError(code: "unsupported_grant_type", description: "Grant type is not supported")
            }
            guard client.grantTypes.contains(grantType) else {
                throw OAuthError(code: "unauthorized_client", description: "Grant type is not allowed for the client")
            }
            switch grantType {
            case "authorization_code": return try exchange(form, of: client, at: now)
            case "refresh_token": return try refresh(form, of: client, at: now)
            default: return try credentials(form, of: client, at: now)
            }
        } catch { return .oauthError(400, error.code, error.description) }
    }

    private func exchange(
        _ form: QueryParameters, of client: SimulatedClient, at now: Timestamp
    ) throws(OAuthError) -> ServerResponse {
        guard let code = form.single("code"), let uri = form.single("redirect_uri"),
            let verifier = form.single("code_verifier")
        else {
            throw OAuthError(code: "invalid_request", description: "code, redirect_uri or code_verifier is missing")
        }
        let grant = try services.grants.redeem(
            code, clientID: client.id, redirectURI: uri, verifier: verifier, now: now)
        let minter = TokenMinter(services: services, client: client, now: now)
        return minter.response(grant, scopes: grant.scopes, code: code, withRefreshToken: true)
    }

    private func refresh(
        _ form: QueryParameters, of client: SimulatedClient, at now: Timestamp
    ) throws(OAuthError) -> ServerResponse {
        guard let token = form.single("refresh_token") else {
            throw OAuthError(code: "invalid_request", description: "refresh_token is missing")
        }
        let narrowed = form.single("scope").map { AuthorizeRequest.words($0) }
        let record = try services.grants.refresh(token, scopes: narrowed, client: client, now: now)
        let minter = TokenMinter(services: services, client: client, now: now)
        return minter.response(
            record.grant, scopes: narrowed ?? record.scopes, code: nil, withRefreshToken: client.rotatesRefreshTokens)
    }

    private func credentials(
        _ form: QueryParameters, of client: SimulatedClient, at now: Timestamp
    ) throws(OAuthError) -> ServerResponse {
        guard client.authentication != .none else {
            throw OAuthError(code: "unauthorized_client", description: "Public clients have no credentials")
        }
        let scopes = form.single("scope").map { AuthorizeRequest.words($0) } ?? client.scopes
        guard Set(scopes).isSubset(of: client.scopes) else { throw .invalidScope }
        let grant = IssuedGrant(
            id: Identifier.random(20), clientID: client.id, user: nil, scopes: scopes, issuer: issuer,
            realm: services.settings.realmName, grantType: "client_credentials", level: 0, acr: "0", amr: [],
            authTime: now, sessionID: "", nonce: nil, state: nil, trackingID: Identifier.tracking())
        services.grants.add(grant)
        let minter = TokenMinter(services: services, client: client, now: now)
        return minter.response(grant, scopes: scopes, code: nil, withRefreshToken: false)
    }
}
