internal import Basics
internal import HTTPCore
internal import HTTPServer
internal import JSON

/// `…/introspect` (RFC 7662), of AM and PingOne.
///
/// Refuses by RFC 7662 section 2.3.
struct IntrospectEndpoint: Sendable {
    let services: OAuthServices
    /// True if tokens are described with PingOne's claims.
    var isPingOne = false

    func answer(_ call: SimulatedCall) -> ServerResponse {
        guard let form = call.form, form.firstRepeatedName == nil, call.query.all("token").isEmpty else {
            return .oauthError(400, "invalid_request", "A form with each parameter once is needed")
        }
        let client: SimulatedClient
        do throws(ClientCheck.RefusalError) {
            client = try ClientCheck.client(of: call, form, services)
        } catch { return error.response }
        guard let token = form.single("token") else {
            return .oauthError(400, "invalid_request", "token is missing")
        }
        let inactive: JSONObject = ["active": false]
        guard client.authentication != .none, let record = services.grants.find(token, now: call.now),
            record.grant.clientID == client.id || client.scopes.contains("am-introspect-all-tokens")
        else { return .json(200, inactive, [ResponseHeader("Pragma", "no-cache")]) }
        let description = isPingOne ? describeForPingOne(record) : describe(record, call.now)
        return .json(200, description, [ResponseHeader("Pragma", "no-cache")])
    }

    private func describeForPingOne(_ record: TokenRecord) -> JSONObject {
        let grant = record.grant
        var json: JSONObject = [
            "active": true, "scope": .string(record.scopes.joined(separator: " ")),
            "client_id": .string(grant.clientID), "token_type": "Bearer", "exp": JSONValue(record.expires.seconds),
            "iat": JSONValue(record.issued.seconds), "sub": .string(PingOneID.subject(grant.plainSubject)),
            "iss": .string(grant.issuer), "jti": .string(record.id),
        ]
        if record.kind == .access { json["aud"] = [.string(services.settings.pingOne.audience)] }
        return json
    }

    private func describe(_ record: TokenRecord, _ now: Timestamp) -> JSONObject {
        let grant = record.grant
        let shape = services.settings.introspection
        let scopeArray = JSONValue.array(record.scopes.map { .string($0) })
        let scope =
            [.scopeArray, .levelText].contains(shape) ? scopeArray : .string(record.scopes.joined(separator: " "))
        if shape == .minimal {
            return [
                "active": true, "scope": scope, "client_id": .string(grant.clientID), "token_type": "Bearer",
                "exp": JSONValue(record.expires.seconds), "sub": .string(grant.plainSubject),
            ]
        }
        var json: JSONObject = [
            "active": true, "scope": scope, "realm": .string(grant.realm), "client_id": .string(grant.clientID),
            "user_id": .string(grant.plainSubject), "username": .string(grant.plainSubject), "token_type": "Bearer",
            "exp": JSONValue(record.expires.seconds), "expires_in": JSONValue((record.expires - now).wholeSeconds),
            "iat": JSONValue(record.issued.seconds), "nbf": JSONValue(record.issued.seconds),
            "sub": .string(grant.subject), "subname": .string(grant.plainSubject), "iss": .string(grant.issuer),
            "aud": shape == .audienceArray ? [.string(grant.clientID)] : .string(grant.clientID),
            "authGrantId": .string(grant.id), "auditTrackingId": .string(grant.trackingID),
            "cts": "OAUTH2_STATELESS_GRANT", "tokenName": .string(record.kind.rawValue),
            "grant_type": .string(grant.grantType), "jti": .string(record.id),
        ]
        guard grant.user != nil else { return json }
        let level = Int64(grant.level)
        json["auth_level"] = shape == .levelText ? .string(String(level)) : JSONValue(level)
        json["auth_time"] = JSONValue(grant.authTime.seconds)
        json["acr"] = grant.acr.map { .string($0) }
        // The text form holds one value only: the last one, which a step-up has added.
        if shape == .levelText, let last = grant.amr.last {
            json["amr"] = .string(last)
        } else {
            json["amr"] = .array(grant.amr.map { .string($0) })
        }
        return json
    }
}
