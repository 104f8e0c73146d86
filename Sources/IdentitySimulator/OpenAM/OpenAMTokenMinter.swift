internal import Basics
internal import Cryptography
internal import HTTPServer
internal import JOSE
internal import JSON

/// Makes tokens with OpenAM's claims, oddities included, and the response that carries them.
///
/// Refuses by docs/simulator.md, 'The dialect `openam`'.
struct OpenAMTokenMinter: Sendable {
    /// The key of the realm for access tokens under HS256.
    private static let realmKey = HMACKey(SecureRandom.bytes(32))

    let services: OAuthServices
    let client: SimulatedClient
    let now: Timestamp

    /// The response of the token endpoint.
    func response(_ grant: IssuedGrant, scopes: [String], code: String?, refreshed: Bool) -> ServerResponse {
        var body: JSONObject = [:]
        do throws(SimulatorError) {
            let access = try issue(
                .access, grant, scopes: scopes, lifetime: client.accessTokenLifetime, isRefreshed: refreshed)
            body["access_token"] = .string(access)
            if client.grantTypes.contains("refresh_token"), grant.user != nil {
                let refresh = try issue(
                    .refresh, grant, scopes: scopes, lifetime: client.refreshTokenLifetime, isRefreshed: refreshed)
                body["refresh_token"] = .string(refresh)
            }
            body["scope"] = .string(scopes.joined(separator: " "))
            if scopes.contains("openid"), grant.user != nil {
                let token = try idToken(idClaims(grant, access: access, code: code))
                services.grants.note(token)
                body["id_token"] = .string(token)
            }
        } catch { return .oauthError(500, "server_error", "No token could be signed") }
        body["token_type"] = "Bearer"
        body["expires_in"] = JSONValue(client.accessTokenLifetime.wholeSeconds - 1)
        if code != nil, let nonce = grant.nonce { body["nonce"] = .string(nonce) }
        return .json(200, body, [ResponseHeader("Pragma", "no-cache")])
    }

    private func issue(
        _ kind: TokenRecord.Kind, _ grant: IssuedGrant, scopes: [String], lifetime: Duration, isRefreshed: Bool
    ) throws(SimulatorError) -> String {
        let record = TokenRecord(
            kind: kind, grant: grant, scopes: scopes, id: Identifier.tracking(), issued: now, expires: now + lifetime)
        let token: String
        switch client.tokenFormat {
        case .opaque: token = Identifier.tracking()
        case .jwt: token = try realmToken(claims(record, isRefreshed))
        }
        services.grants.add(token, record)
        return token
    }

    // MARK: Claims

    /// The claims of an access or refresh token, which has no client, no level and no methods.
    private func claims(_ record: TokenRecord, _ refreshed: Bool) -> JSONObject {
        let grant = record.grant
        let isAccess = record.kind == .access
        var claims: JSONObject = [
            "sub": .string(grant.plainSubject), "auditTrackingId": .string(Identifier.tracking()),
            "iss": .string(grant.issuer), "tokenName": .string(record.kind.rawValue), "token_type": "Bearer",
            "authGrantId": .string(grant.id), "aud": .string(client.id), "nbf": JSONValue(now.seconds),
            "realm": .string(grant.realm), "exp": JSONValue(record.expires.seconds), "iat": JSONValue(now.seconds),
            "expires_in": JSONValue((record.expires - now).wholeSeconds * 1000), "jti": .string(record.id),
        ]
        // In a first access token the time of issue in seconds, else the time of the sign-in in milliseconds.
        let milliseconds = grant.authTime.seconds * 1000
        claims["auth_time"] = JSONValue(isAccess && !refreshed ? max(now, grant.authTime).seconds : milliseconds)
        if isAccess {
            claims["typ"] = "Bearer"
            claims["scope"] = .string(record.scopes.joined(separator: " "))
            claims["realm_access"] = grant.user == nil || refreshed ? [:] : ["roles": []]
        } else {
            claims["scope"] = .array(record.scopes.map { .string($0) })
            claims["acr"] = grant.acr.map { .string($0) }
        }
        if !refreshed { claims["nonce"] = grant.nonce.map { .string($0) } }
        return claims
    }

    private func idClaims(_ grant: IssuedGrant, access: String, code: String?) -> JSONObject {
        // Only the exchange of a code has a code, and thus the nonce of the request.
        var claims: JSONObject = [
            "at_hash": .string(Self.half(access)), "sub": .string(grant.plainSubject),
            "auditTrackingId": .string(Identifier.tracking()), "amr": .array(grant.amr.map { .string($0) }),
            "iss": .string(grant.issuer), "tokenName": "id_token", "aud": .string(client.id),
            "org.forgerock.openidconnect.ops": .string(grant.sessionID),
            "auth:time": JSONValue(code == nil ? grant.authTime.seconds * 1000 : grant.authTime.seconds),
            "azp": .string(client.id), "realm": .string(grant.realm),
            "exp": JSONValue((now + client.idTokenLifetime).seconds), "tokenType": "JWTToken",
            "iat": JSONValue(now.seconds),
        ]
        claims["acr"] = grant.acr.map { .string($0) }
        if let code {
            claims["c_hash"] = .string(Self.half(code))
            claims["nonce"] = grant.nonce.map { .string($0) }
        }
        return claims
    }

    // MARK: Signatures

    /// Signs an ID token, by default with HS256 and the client's secret; `kid` always names the RSA key.
    private func idToken(_ claims: JSONObject) throws(SimulatorError) -> String {
        if client.signsWithSecret ?? true, let secret = client.secret {
            return Self.symmetric(claims, ["typ": "JWT", "alg": "HS256"], HMACKey(Array(secret.utf8)))
        }
        return try asymmetric(claims, client.algorithm, ["kid": .string(try rsaKeyID())])
    }

    private func realmToken(_ claims: JSONObject) throws(SimulatorError) -> String {
        guard let algorithm = services.settings.openAMTokenAlgorithm else {
            return Self.symmetric(claims, ["typ": "JWT", "zip": "NONE", "alg": "HS256"], Self.realmKey)
        }
        return try asymmetric(claims, algorithm, ["zip": "NONE", "kid": .string(try rsaKeyID())])
    }

    private func rsaKeyID() throws(SimulatorError) -> String {
        guard let key = services.keys.key(.RS256) else { throw .keys }
        return key.keyID
    }

    private func asymmetric(
        _ claims: JSONObject, _ algorithm: JWSAlgorithm, _ header: JSONObject
    ) throws(SimulatorError) -> String {
        guard let key = services.keys.key(algorithm) else { throw .keys }
        do throws(JOSEError) { return try key.sign(claims: claims, extraHeader: header) } catch { throw .keys }
    }

    private static func symmetric(_ claims: JSONObject, _ header: JSONObject, _ key: HMACKey) -> String {
        let signed = Base64URL.encode(header.serialized()) + "." + Base64URL.encode(claims.serialized())
        return signed + "." + Base64URL.encode(key.authenticate(Array(signed.utf8)))
    }

    /// The left half of the SHA-256 hash, for `at_hash` and `c_hash`.
    private static func half(_ text: String) -> String { Base64URL.encode(Digest.hash(utf8: text).prefix(16)) }
}
