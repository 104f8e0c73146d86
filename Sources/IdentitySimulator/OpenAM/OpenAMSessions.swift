internal import Basics
internal import HTTPCore
internal import HTTPServer
internal import JSON

/// `…/sessions?_action=…` in both versions: 1.x validates, 2.0 describes, both end sessions.
///
/// Refuses by docs/simulator.md, 'The dialect `openam`'.
struct OpenAMSessions: Sendable {
    private enum Version {
        case old
        case new
    }

    let services: OAuthServices

    /// Answers a request; only version 1 accepts a session in the path.
    func answer(_ call: SimulatedCall, named: String?) -> ServerResponse {
        guard let version = version(call), named == nil || version == .old else {
            return .openAMError(404, "Resource &#39;\(named ?? "")&#39; not found")
        }
        guard call.method == .post else { return .openAMError(400, "The resource collection  cannot be read") }
        guard let action = call.query.all("_action").first else {
            return .openAMError(
                400, "The request could not be processed because it did not contain any JSON content")
        }
        guard call.body.isEmpty || call.isJSON else {
            return .openAMError(
                400,
                "The request could not be processed because it specified the content-type when only the content-type "
                    + "&#39;application/json&#39; and &#39;multipart/form-data&#39; are supported")
        }
        guard call.body.isEmpty || call.json != nil else {
            return .openAMError(
                400, "The request could not be processed because the provided content is not valid JSON")
        }
        let token = named ?? call.sessionToken(services.settings.cookieName)
        switch (action, version) {
        case ("logout", _): return logout(token, call, version)
        case ("validate", .old): return validate(token, call)
        case ("getSessionInfo", .new): return info(token, call)
        case ("validate", .new), ("getSessionInfo", .old):
            return .openAMError(501, "Action \(action) not implemented for this resource")
        default: return .openAMError(403, "Forbidden")
        }
    }

    /// The version that answers, the newest if none is requested; nil for an unsupported version.
    private func version(_ call: SimulatedCall) -> Version? {
        switch call.resourceVersion {
        case nil, "2.0": .new
        case "1", "1.0", "1.1", "1.2": .old
        default: nil
        }
    }

    private func validate(_ token: String?, _ call: SimulatedCall) -> ServerResponse {
        guard let token else {
            return .openAMError(400, "iPlanetDirectoryCookie not set on request")
        }
        guard let session = services.sessions.find(token, now: call.now) else {
            return .json(200, ["valid": false], [Self.header(.old)])
        }
        return .json(
            200, ["valid": true, "uid": .string(session.user), "realm": .string(services.settings.realmName)],
            [Self.header(.old)])
    }

    private func info(_ token: String?, _ call: SimulatedCall) -> ServerResponse {
        guard let session = token.flatMap({ services.sessions.find($0, now: call.now) }) else {
            return .openAMError(401, "Access Denied")
        }
        let ends = services.sessions.ends(session)
        let realm = services.settings.realm == "/" ? "" : "o=\(services.settings.realm),ou=services,"
        return .json(
            200,
            [
                "username": .string(session.user),
                "universalId": .string("id=\(session.user),ou=user,\(realm)dc=openam,dc=example,dc=test"),
                "realm": .string(services.settings.realmName), "sessionHandle": .string("shandle:AQIC5\(session.id)"),
                "latestAccessTime": .string(session.lastUse.rfc3339),
                "maxIdleExpirationTime": .string(ends.idle.rfc3339),
                "maxSessionExpirationTime": .string(ends.latest.rfc3339),
            ], [Self.header(.new)])
    }

    private func logout(_ token: String?, _ call: SimulatedCall, _ version: Version) -> ServerResponse {
        guard let token, services.sessions.logOut(token, now: call.now) else {
            return .openAMError(401, "Access Denied")
        }
        return .json(200, ["result": "Successfully logged out"], [Self.header(version)])
    }

    private static func header(_ version: Version) -> ResponseHeader {
        ResponseHeader("Content-API-Version", version == .old ? "resource=1.2" : "resource=2.0")
    }
}
