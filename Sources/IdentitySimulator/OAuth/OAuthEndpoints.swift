internal import Basics
internal import HTTPCore
internal import HTTPServer
internal import JOSE
internal import JSON

/// The state that the OAuth endpoints share.
///
/// Refuses by RFC 9110 section 15.5.6.
struct OAuthServices: Sendable {
    let settings: SimulatorSettings
    let directory: UserDirectory
    let sessions: SessionRegistry
    let grants: GrantRegistry
    let keys: KeyRing

    func client(_ id: String) -> SimulatedClient? {
        settings.clients.first { $0.id == id }
    }

    /// True if a redirect URI is registered for a client, letter for letter (RFC 9700 section 4.1.3).
    func hasRedirectURI(_ uri: String, _ client: SimulatedClient) -> Bool {
        (client.redirectURIs + settings.redirectURIs).contains { $0.utf8.elementsEqual(uri.utf8) }
    }

    /// The acr of a level: the acr value of the highest level reached, else AM's "0".
    func acr(_ level: Int) -> String {
        settings.acrLevels.filter { $0.value <= level && $0.value > 0 }.max { ($0.value, $0.key) < ($1.value, $1.key) }?
            .key ?? "0"
    }
}

/// The OAuth server of the realm.
struct OAuthEndpoints: Sendable {
    private let services: OAuthServices
    private let pushed: PushedRequests

    init(_ services: OAuthServices, journal: Journal) {
        self.services = services
        pushed = PushedRequests(journal)
    }

    func answer(_ call: SimulatedCall, _ realm: SimulatedRealm) -> ServerResponse {
        guard realm.realm == services.settings.realmName else { return .amError(404, "Not Found") }
        // As in AM, the issuer spells the realm as the path did, so that each spelling is consistent in itself.
        let issuer = ([call.base, "am", "oauth2"] + realm.spelling).joined(separator: "/")
        switch (realm.rest, call.method) {
        case ([".well-known", "openid-configuration"], .get):
            return .json(200, DiscoveryDocument(issuer: issuer, settings: services.settings).json)
        case (["connect", "jwk_uri"], .get): return .json(200, services.keys.published.json)
        case (["authorize"], .get), (["authorize"], .post):
            return AuthorizeEndpoint(services: services, issuer: issuer, pushed: pushed).answer(call)
        case (["par"], .post):
            return pushed.answer(call, services) { AuthorizeRequest.pushCode($0, services) }
        case (["access_token"], .post): return TokenEndpoint(services: services, issuer: issuer).answer(call)
        case (["userinfo"], .get), (["userinfo"], .post): return UserinfoEndpoint(services: services).answer(call)
        case (["introspect"], .post): return IntrospectEndpoint(services: services).answer(call)
        case (["token", "revoke"], .post): return RevokeEndpoint(services: services).answer(call)
        case (["connect", "endSession"], .get), (["connect", "endSession"], .post):
            return EndSessionEndpoint(services: services).answer(call)
        case ([".well-known", "openid-configuration"], _), (["connect", "jwk_uri"], _), (["authorize"], _),
            (["access_token"], _), (["userinfo"], _), (["introspect"], _), (["token", "revoke"], _),
            (["connect", "endSession"], _), (["par"], _):
            return .amError(405, "Method Not Allowed")
        default: return .amError(404, "Not Found")
        }
    }
}
