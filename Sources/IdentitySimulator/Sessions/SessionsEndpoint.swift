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

    private static let version = ResponseHeader("Content-API-Version", "resource=3.1")

    func answer(_ call: SimulatedCall) -> ServerResponse {
        guard call.method == .post else { return .amError(405, "Method Not Allowed") }
        // AM would use its oldest or newest version; the simulator refuses instead, so that the missing field is
        // noticed.
        guard let version = call.apiVersion, (1...5).contains(version) else {
            return .amError(400, "Accept-API-Version with a resource version from 1 to 5 is needed")
        }
        guard call.body.isEmpty || call.isJSON && call.json?.object != nil else {
            return .amError(400, "A JSON object or no body is needed")
        }
        switch call.query.single("_action") {
        case "validate": return validate(call)
        case "getSessionInfo": return info(call)
        case "refresh": return refresh(call)
        case "logout": return logout(call)
        default: return .amError(400, "Unsupported action")
        }
    }

    /// The session that the request is about: `tokenId` of the body, else the caller's own.
    private func subject(_ call: SimulatedCall) -> SSORecord? {
        let token = call.json?["tokenId"]?.string ?? call.sessionToken(settings.cookieName)
        return token.flatMap { sessions.find($0, now: call.now) }
    }

    private func validate(_ call: SimulatedCall) -> ServerResponse {
        guard let record = subject(call) else { return .json(200, ["valid": false], [Self.version]) }
        return .json(
            200,
            [
                "valid": true, "sessionUid": .string(record.id), "uid": .string(record.user),
                "realm": .string(settings.realmName),
            ], [Self.version])
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
            ], [Self.version])
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
            ], [Self.version])
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
                Self.version, ResponseHeader("Set-Cookie", "\(settings.cookieName)=\"\"; \(gone)"),
                ResponseHeader("Set-Cookie", "amlbcookie=LOGOUT; \(gone)"),
            ])
    }
}
