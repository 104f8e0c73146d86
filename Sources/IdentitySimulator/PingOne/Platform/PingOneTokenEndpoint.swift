internal import Basics
internal import Cryptography
internal import HTTPCore
internal import HTTPServer
internal import JSON

/// `as/token`: exchanges codes and refresh tokens for tokens with PingOne's claims.
///
/// Refuses by RFC 6749 section 5.2.
struct PingOneTokenEndpoint: Sendable {
    let services: OAuthServices

    func answer(_ call: SimulatedCall) -> ServerResponse {
        guard let form = call.form, form.firstRepeatedName == nil, call.query.pairs.isEmpty else {
            return .oauthError(400, "invalid_request", "A form with each parameter once is needed")
        }
        do throws(ClientCheck.RefusalError) {
            let client = try ClientCheck.client(of: call, form, services)
            do throws(OAuthError) { return try tokens(form, of: client, at: call.now) } catch {
                return .oauthError(400, error.code, error.description)
            }
        } catch { return error.response }
    }

    private func tokens(
        _ form: QueryParameters, of client: SimulatedClient, at now: Timestamp
    ) throws(OAuthError) -> ServerResponse {
        let minter = PingOneMinter(services: services, client: client, now: now)
        switch form.single("grant_type") {
        case "authorization_code":
            guard let code = form.single("code"), let uri = form.single("redirect_uri"),
                let verifier = form.single("code_verifier")
            else {
                throw OAuthError(code: "invalid_request", description: "code, redirect_uri or code_verifier is missing")
            }
            let grant = try services.grants.redeem(
                code, clientID: client.id, redirectURI: uri, verifier: verifier, now: now)
            return minter.response(grant, scopes: grant.scopes, isFirst: true)
        case "refresh_token":
            guard let token = form.single("refresh_token") else {
                throw OAuthError(code: "invalid_request", description: "refresh_token is missing")
            }
            let narrowed = form.single("scope").map { AuthorizeRequest.words($0) }
            let record = try services.grants.refresh(token, scopes: narrowed, client: client, now: now)
            return minter.response(record.grant, scopes: narrowed ?? record.scopes, isFirst: false)
        default: throw OAuthError(code: "unsupported_grant_type", description: "Grant type is not supported")
        }
    }
}

/// Makes tokens with PingOne's claims, and the response that carries them.
struct PingOneMinter: Sendable {
    let services: OAuthServices
    let client: SimulatedClient
    let now: Timestamp

    /// The response of the token endpoint; only the first response of a grant has the nonce of the request.
    func response(_ grant: IssuedGrant, scopes: [String], isFirst: Bool) -> ServerResponse {
        var body: JSONObject = [:]
        do throws(SimulatorError) {
            let access = try access(grant, scopes)
            body["access_token"] = .string(access)
            body["token_type"] = "Bearer"
            body["expires_in"] = JSONValue(client.accessTokenLifetime.wholeSeconds)
            body["scope"] = .string(scopes.joined(separator: " "))
            if client.grantTypes.contains("refresh_token"), isFirst || client.rotatesRefreshTokens {
                let refresh = Identifier.random(48)
                services.grants.add(
                    refresh, record(.refresh, grant, scopes: grant.scopes, lifetime: client.refreshTokenLifetime))
                body["refresh_token"] = .string(refresh)
            }
            if scopes.contains("openid") {
                let token = try services.keys.sign(
                    identity(grant, access, isFirst: isFirst), client.algorithm, type: nil)
                services.grants.note(token)
                body["id_token"] = .string(token)
            }
        } catch { return .oauthError(500, "server_error", "No token could be signed") }
        return .json(200, body, [ResponseHeader("Pragma", "no-cache")])
    }

    private func record(
        _ kind: TokenRecord.Kind, _ grant: IssuedGrant, scopes: [String], lifetime: Duration
    ) -> TokenRecord {
        TokenRecord(
            kind: kind, grant: grant, scopes: scopes, id: Identifier.tracking(), issued: now, expires: now + lifetime)
    }

    /// Makes an access token, whose header has no `typ`, and whose audience is its resource and never its client.
    private func access(_ grant: IssuedGrant, _ scopes: [String]) throws(SimulatorError) -> String {
        let record = record(.access, grant, scopes: scopes, lifetime: client.accessTokenLifetime)
        var claims = claims(grant, record.expires)
        claims["client_id"] = .string(client.id)
        claims["aud"] = [.string(services.settings.pingOne.audience)]
        claims["scope"] = .string(scopes.joined(separator: " "))
        claims["jti"] = .string(record.id)
        let token = try services.keys.sign(claims, client.algorithm, type: nil)
        services.grants.add(token, record)
        return token
    }

    private func identity(_ grant: IssuedGrant, _ access: String, isFirst: Bool) -> JSONObject {
        var claims = claims(grant, now + client.idTokenLifetime)
        claims["aud"] = .string(client.id)
        claims["amr"] = .array(grant.amr.map { .string($0) })
        claims["at_hash"] = .string(Base64URL.encode(Digest.hash(utf8: access).prefix(16)))
        if isFirst { claims["nonce"] = grant.nonce.map { .string($0) } }
        return claims
    }

    /// Makes an ID token that is issued without an access token (OpenID Connect Core 3.2.2.10).
    func identityAlone(_ grant: IssuedGrant) throws(SimulatorError) -> String {
        var claims = claims(grant, now + client.idTokenLifetime)
        claims["aud"] = .string(client.id)
        claims["amr"] = .array(grant.amr.map { .string($0) })
        claims["nonce"] = grant.nonce.map { .string($0) }
        let token = try services.keys.sign(claims, client.algorithm, type: nil)
        services.grants.note(token)
        return token
    }

    /// The claims of both kinds of tokens; `acr` is the id of the policy.
    private func claims(_ grant: IssuedGrant, _ expires: Timestamp) -> JSONObject {
        [
            "iss": .string(grant.issuer), "sub": .string(PingOneID.subject(grant.plainSubject)),
            "iat": JSONValue(now.seconds), "exp": JSONValue(expires.seconds),
            "auth_time": JSONValue(grant.authTime.seconds), "acr": .string(grant.acr ?? ""),
            "sid": .string(grant.sessionID),
        ]
    }
}
