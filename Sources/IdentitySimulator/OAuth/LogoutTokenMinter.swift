internal import Basics
internal import HTTPCore
internal import HTTPServer
internal import JSON

/// Makes logout tokens as AM does (OpenID Connect Back-Channel Logout 1.0 section 2.4), and `POST
/// /simulator/logout-token`, which shows one to curl: who asks sends it on to the client.
///
/// Refuses by docs/simulator.md, 'Logout tokens'.
struct LogoutTokenMinter: Sendable {
    let settings: SimulatorSettings
    let keys: KeyRing

    /// A logout token for a client, about all sessions of a user or one session.
    ///
    /// `change` makes a bad token of a good one.
    func token(
        _ issuer: String, client id: String, user: String?, sessionID: String? = nil, at now: Timestamp,
        _ change: (inout JSONObject) -> Void = { _ in }
    ) throws(SimulatorError) -> String {
        guard let client = settings.clients.first(where: { $0.id == id }) else { throw .setting("clients") }
        var claims: JSONObject = [
            "iss": .string(issuer), "aud": .string(id), "jti": .string(Identifier.random(20)),
            "iat": JSONValue(now.seconds), "exp": JSONValue((now + .seconds(120)).seconds),
            "events": ["http://schemas.openid.net/event/backchannel-logout": [:]],
            "auditTrackingId": .string(Identifier.tracking()),
        ]
        claims["sub"] = user.map { .string(settings.dialect == .ping ? "(usr!\($0))" : $0) }
        claims["sid"] = sessionID.map { .string($0) }
        change(&claims)
        return try keys.sign(claims, client.algorithm)
    }

    func answer(_ call: SimulatedCall, issuer: String) -> ServerResponse {
        guard call.method == .post else { return .amError(405, "Method Not Allowed") }
        // A page of another origin needs a CORS preflight for this type, which is never granted.
        guard call.isJSON else { return .amError(415, "Content-Type application/json is needed") }
        guard let body = call.json?.object, Set(body.names).isSubset(of: ["client", "user", "sid"]),
            let client = body["client"]?.string, body["user"]?.string != nil || body["sid"]?.string != nil
        else { return .amError(400, "client, and user or sid, are needed") }
        do throws(SimulatorError) {
            let token = try token(
                issuer, client: client, user: body["user"]?.string, sessionID: body["sid"]?.string, at: call.now)
            return .json(200, ["logout_token": .string(token)])
        } catch {
            return .amError(400, "There is no such client")
        }
    }
}
