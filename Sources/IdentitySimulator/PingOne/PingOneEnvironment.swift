internal import HTTPCore
internal import HTTPServer
internal import JOSE
internal import JSON

/// A PingOne environment: the OpenID provider of its applications, and the flows by which users sign in.
///
/// Refuses by docs/protocol.md, 'DaVinci'.
final class PingOneEnvironment: Sendable {
    /// The services of the environment, with the realm's directory, and its own sessions, grants and keys.
    let services: OAuthServices
    let settings: PingOneSettings
    private let journal: Journal
    private let pushed: PushedRequests
    let flows: FlowEndpoint

    init(_ realm: OAuthServices, keys: KeyRing, journal: Journal, social: SocialProvider, outbox: Outbox) {
        settings = realm.settings.pingOne
        var own = SimulatorSettings(.ping)
        own.pingOne = settings
        own.clients = settings.applications.map(\.client)
        own.sessionIdle = realm.settings.sessionIdle
        own.sessionLifetime = realm.settings.sessionLifetime
        own.keepsSessionAfterUpgrade = realm.settings.keepsSessionAfterUpgrade
        own.refreshGrace = realm.settings.refreshGrace
        own.oneTimeCode = realm.settings.oneTimeCode
        own.relyingParty = realm.settings.relyingParty
        own.redirectURIs = realm.settings.redirectURIs
        services = OAuthServices(
            settings: own, directory: realm.directory, sessions: SessionRegistry(own, journal: journal),
            grants: GrantRegistry(own, journal: journal), keys: keys)
        self.journal = journal
        pushed = PushedRequests(journal)
        flows = FlowEndpoint(services, journal: journal, social: social, outbox: outbox)
    }

    func issuer(_ base: String) -> String { "\(base)/\(settings.environment)/as" }

    func answer(_ call: SimulatedCall) -> ServerResponse {
        // A request carries the token of an interaction or another kind of token, never both.
        if call.headers.first("authorization") != nil,
            call.headers.first("interactionid") != nil || call.headers.first("interactiontoken") != nil
        {
            journal.refuse(.authorizationWithInteraction)
            return .pingError(400, "INVALID_REQUEST", "Authorization beside an interaction")
        }
        let path = Array(call.segments.dropFirst())
        return path.first == "davinci" ? flows.answer(call, Array(path.dropFirst())) : provider(call, path)
    }

    private func provider(_ call: SimulatedCall, _ path: [String]) -> ServerResponse {
        let issuer = issuer(call.base)
        switch (path, call.method) {
        case (["as", ".well-known", "openid-configuration"], .get):
            return .json(200, PingOneDiscovery(issuer: issuer, settings: services.settings).json)
        case (["as", "jwks"], .get): return .json(200, services.keys.published.json)
        case (["as", "authorize"], .get), (["as", "authorize"], .post):
            return PingOneAuthorize(services: services, flows: flows, pushed: pushed, issuer: issuer).answer(call)
        case (["as", "par"], .post): return pushed.answer(call, services) { PingOneRequest.pushCode($0, services) }
        case (["as", "token"], .post): return PingOneTokenEndpoint(services: services).answer(call)
        case (["as", "userinfo"], .get): return PingOneUserinfo(services: services).answer(call)
        case (["as", "introspect"], .post):
            return IntrospectEndpoint(services: services, isPingOne: true).answer(call)
        case (["as", "revoke"], .post): return RevokeEndpoint(services: services).answer(call)
        case (["as", "signoff"], .get), (["as", "idpSignoff"], .get):
            return PingOneSignOff(services: services, issuer: issuer).answer(call)
        default: return .pingError(404, "NOT_FOUND", "The requested resource was not found.")
        }
    }
}

extension ServerResponse {
    /// An error in the form of PingOne's platform.
    static func pingError(_ status: Int, _ code: String, _ message: String, target: String? = nil) -> ServerResponse {
        var body: JSONObject = [
            "id": .string(Identifier.tracking()), "code": .string(code), "message": .string(message),
        ]
        if let target {
            body["details"] = [
                ["code": "INVALID_VALUE", "target": .string(target), "message": .string(message)]
            ]
        }
        return .json(status, body)
    }
}
