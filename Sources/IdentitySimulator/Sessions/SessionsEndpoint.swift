internal import Basics
internal import HTTPCore
internal import HTTPServer
internal import JSON

/// `…/sessions?_action=…`: validate, getSessionInfo, refresh, logout.
///
/// Refuses by docs/protocol.md, 'Sessions'.
struct SessionsEndpoint: Sendable {
    let settings: SimulatorSettings
    let sessions: SessionRegistry

    /// The versions of `resource` that serve each action, the newest first.
    ///
    /// Ping's SDK for JavaScript asks for version 2.1 of `logout`.
    private static let versions = [
        "getSessionInfo": ["4.0"], "validate": ["3.0"], "refresh": ["3.1"], "logout": ["3.1", "2.1"],
    ]

    func answer(_ call: SimulatedCall) -> ServerResponse {
        guard call.method == .post else { return .amError(405, "Method Not Allowed") }
        guard let action = call.query.single("_action"), let versions = Self.versions[action] else {
            return .amError(400, "Unsupported action")
        }
        let version = call.resourceVersion ?? versions[0]
        guard call.resourceVersion != nil || call.headers.first("x-requested-with") != nil else {
            return .amError(400, "Accept-API-Version or X-Requested-With is needed")
        }
        guard versions.contains(version) else { return ServerResponse(status: 404) }
        guard call.body.isEmpty || call.isJSON && call.json?.object != nil else {
            return .amError(400, "A JSON object or no body is needed")
        }
        var response =
            switch action {
            case "validate": validate(call)
            case "getSessionInfo": info(call)
            case "refresh": refresh(call)
            default: logout(call)
            }
        if response.status == 200 {
            response.headers.append(ResponseHeader("Content-API-Version", "resource=\(version)"))
        }
        return response
    }

    /// The session that the request is about: `tokenId` of the body, else the caller's own.
    ///
    /// With `refresh=false` the request does not extend the session.
    private func subject(_ call: SimulatedCall) -> SSORecord? {
        let token = call.json?["tokenId"]?.string ?? call.sessionToken(settings.cookieName)
        let looksOnly = call.query.single("refresh") == "false"
        return token.flatMap { sessions.find($0, now: call.now, looksOnly: looksOnly) }
    }

    private func validate(_ call: SimulatedCall) -> ServerResponse {
        guard let record = subject(call) else { return .json(200, ["valid": false]) }
        return .json(
            200,
            [
                "valid": true, "sessionUid": .string(record.id), "uid": .string(record.user),
                "realm": .string(settings.realmName),
            ])
    }

    private func info(_ call: SimulatedCall) -> ServerResponse {
        guard let record = subject(call) else { return .amError(401, "Access Denied") }
        let ends = sessions.ends(record)
        return .json(
            200,
            [
                "username": .string(record.user),
                "universalId": .string(
                    "id=\(record.user),ou=user,o=\(settings.realmName.dropFirst()),ou=services,ou=am-config"),
                "realm": .string(settings.realmName), "latestAccessTime": .string(record.lastUse.rfc3339),
                "maxIdleExpirationTime": .string(ends.idle.rfc3339),
                "maxSessionExpirationTime": .string(ends.latest.rfc3339),
                "properties": ["AMCtxId": .string(record.id), "AuthLevel": .string(String(record.level))],
            ])
    }

    private func refresh(_ call: SimulatedCall) -> ServerResponse {
        guard let record = subject(call) else { return .amError(401, "Access Denied") }
        let ends = sessions.ends(record)
        return .json(
            200,
            [
                "uid": .string(record.user), "realm": .string(settings.realmName), "idletime": 0,
                "maxidletime": JSONValue((ends.idle - record.lastUse).wholeSeconds / 60),
                "maxsessiontime": JSONValue((ends.latest - record.created).wholeSeconds / 60),
                "maxtime": JSONValue((ends.latest - call.now).wholeSeconds),
            ])
    }

    private func logout(_ call: SimulatedCall) -> ServerResponse {
        let token = call.json?["tokenId"]?.string ?? call.sessionToken(settings.cookieName)
        guard let token, sessions.logOut(token, now: call.now) else {
            return .amError(401, "Access Denied")
        }
        let gone = "Expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/"
        return .json(
            200, ["result": "Successfully logged out"],
            [
                ResponseHeader("Set-Cookie", "\(settings.cookieName)=\"\"; \(gone)"),
                ResponseHeader("Set-Cookie", "amlbcookie=LOGOUT; \(gone)"),
            ])
    }
}
