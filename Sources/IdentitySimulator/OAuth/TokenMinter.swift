internal import Basics
internal import Cryptography
internal import HTTPServer
internal import JSON

/// Makes tokens with AM's claims, and the response that carries them.
///
/// Refuses by RFC 9110 section 15.6.1.
struct TokenMinter: Sendable {
    let services: OAuthServices
    let client: SimulatedClient
    let now: Timestamp

    /// The response of the token endpoint.
    func response(_ grant: IssuedGrant, scopes: [String], code: String?, withRefreshToken: Bool) -> ServerResponse {
        var body: JSONObject = [:]
        do throws(SimulatorError) {
            let access = try issue(.access, grant, scopes: scopes, lifetime: client.accessTokenLifetime)
            body["access_token"] = .string(access)
            if withRefreshToken, client.grantTypes.contains("refresh_token"), grant.user != nil {
                // A refresh token keeps the scopes of the grant, even if the access token has fewer.
                let refresh = try issue(.refresh, grant, scopes: grant.scopes, lifetime: client.refreshTokenLifetime)
                body["refresh_token"] = .string(refresh)
            }
            if !scopes.isEmpty { body["scope"] = .string(scopes.joined(separator: " ")) }
            if scopes.contains("openid"), grant.user != nil {
                let token = try services.keys.sign(idClaims(grant, access: access, code: code), client.algorithm)
                services.grants.note(token)
                body["id_token"] = .string(token)
            }
        } catch { return .oauthError(500, "server_error", "No token could be signed") }
        body["token_type"] = "Bearer"
        body["expires_in"] = JSONValue(client.accessTokenLifetime.wholeSeconds)
        if code != nil, let nonce = grant.nonce { body["nonce"] = .string(nonce) }
        return .json(200, body, [ResponseHeader("Pragma", "no-cache")])
    }

    private func issue(
        _ kind: TokenRecord.Kind, _ grant: IssuedGrant, scopes: [String], lifetime: Duration
    ) throws(SimulatorError) -> String {
        let record = TokenRecord(
            kind: kind, grant: grant, scopes: scopes, id: Identifier.random(20), issued: now, expires: now + lifetime)
        let token: String
        switch client.tokenFormat {
        case .opaque: token = Identifier.random(32)
        case .jwt: token = try services.keys.sign(claims(record), client.algorithm)
        }
        services.grants.add(token, record)
        return token
    }

    /// The claims of an access or refresh token, which in AM differ only in `tokenName`.
    ///
    /// The class of the sign-in, `acr`, is only in the ID token and in introspection (docs/protocol.md, 'Claims').
    private func claims(_ record: TokenRecord) -> JSONObject {
        let grant = record.grant
        var claims: JSONObject = [
            "sub": .string(grant.subject), "cts": "OAUTH2_STATELESS_GRANT",
            "auditTrackingId": .string(grant.trackingID), "subname": .string(grant.plainSubject),
            "iss": .string(grant.issuer), "tokenName": .string(record.kind.rawValue), "token_type": "Bearer",
            "authGrantId": .string(grant.id), "client_id": .string(client.id), "aud": .string(client.id),
            "nbf": JSONValue(now.seconds), "grant_type": .string(grant.grantType),
            "scope": .array(record.scopes.map { .string($0) }), "realm": .string(grant.realm),
            "exp": JSONValue(record.expires.seconds), "iat": JSONValue(now.seconds),
            "expires_in": JSONValue((record.expires - now).wholeSeconds), "jti": .string(record.id),
        ]
        guard grant.user != nil else { return claims }
        claims["auth_level"] = JSONValue(Int64(grant.level))
        claims["auth_time"] = JSONValue(grant.authTime.seconds)
        claims["amr"] = .array(grant.amr.map { .string($0) })
        return claims
    }

    private func idClaims(_ grant: IssuedGrant, access: String, code: String?) -> JSONObject {
        var claims: JSONObject = [
            "at_hash": .string(Self.half(access)), "sub": .string(grant.subject),
            "auditTrackingId": .string(grant.trackingID), "subname": .string(grant.plainSubject),
            "iss": .string(grant.issuer), "tokenName": "id_token", "sid": .string(grant.sessionID),
            "aud": .string(client.id), "acr": .string(grant.acr ?? "0"), "amr": .array(grant.amr.map { .string($0) }),
            "azp": .string(client.id), "auth_time": JSONValue(grant.authTime.seconds), "realm": .string(grant.realm),
            "exp": JSONValue((now + client.idTokenLifetime).seconds), "tokenType": "JWTToken",
            "iat": JSONValue(now.seconds),
        ]
        // Only the exchange of a code has a code, and thus the state and nonce of the request.
        if let code {
            claims["c_hash"] = .string(Self.half(code))
            claims["s_hash"] = grant.state.map { .string(Self.half($0)) }
            claims["nonce"] = grant.nonce.map { .string($0) }
        }
        return claims
    }

    /// The left half of the SHA-256 hash, for `at_hash`, `c_hash` and `s_hash` under RS256 and ES256.
    private static func half(_ text: String) -> String {
        Base64URL.encode(Digest.hash(utf8: text).prefix(16))
    }
}
