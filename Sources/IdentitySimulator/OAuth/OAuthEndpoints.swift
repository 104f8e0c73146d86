internal import Basics
internal import HTTPCore
internal import HTTPServer
internal import JOSE
internal import JSON

/// What the OAuth endpoints share.
struct OAuthWorld: Sendable {
    let settings: SimulatorSettings
    let directory: Directory
    let sessions: SessionRegistry
    let grants: GrantRegistry
    let keys: KeyRing

    func client(_ id: String) -> SimulatedClient? {
        settings.clients.first { $0.id == id }
    }

    /// The acr that a level stands for: the mapped value of the highest level reached, else AM's "0".
    func acr(_ level: Int) -> String {
        settings.acrLevels.filter { $0.value <= level && $0.value > 0 }.max { ($0.value, $0.key) < ($1.value, $1.key) }?
            .key ?? "0"
    }
}

/// The OAuth server of the realm.
struct OAuthEndpoints: Sendable {
    private let world: OAuthWorld

    init(_ world: OAuthWorld) {
        self.world = world
    }

    func answer(_ call: Call, _ realm: RealmPath) -> ServerResponse {
        guard realm.realm == world.settings.realmName else { return .amError(404, "Not Found") }
        // Like AM: the issuer is spelt as the realm was in the path, so that each spelling is consistent in itself.
        let issuer = ([call.base, "am", "oauth2"] + realm.spelling).joined(separator: "/")
        switch (realm.rest, call.method) {
        case ([".well-known", "openid-configuration"], .get):
            return .json(200, DiscoveryDocument(issuer: issuer, settings: world.settings).json)
        case (["connect", "jwk_uri"], .get): return .json(200, world.keys.published.json)
        case (["authorize"], .get), (["authorize"], .post):
            return AuthorizeEndpoint(world: world, issuer: issuer).answer(call)
        case (["access_token"], .post): return TokenEndpoint(world: world, issuer: issuer).answer(call)
        case (["userinfo"], .get), (["userinfo"], .post): return UserinfoEndpoint(world: world).answer(call)
        case (["introspect"], .post): return IntrospectEndpoint(world: world).answer(call)
        case (["token", "revoke"], .post): return RevokeEndpoint(world: world).answer(call)
        case (["connect", "endSession"], .get), (["connect", "endSession"], .post):
            return EndSessionEndpoint(world: world).answer(call)
        case ([".well-known", "openid-configuration"], _), (["connect", "jwk_uri"], _), (["authorize"], _),
            (["access_token"], _), (["userinfo"], _), (["introspect"], _), (["token", "revoke"], _),
            (["connect", "endSession"], _):
            return .amError(405, "Method Not Allowed")
        default: return .amError(404, "Not Found")
        }
    }
}
