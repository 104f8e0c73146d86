internal import HTTPServer

/// A realm of PingAM.
struct PingRealm: RealmEndpoints {
    private let settings: SimulatorSettings
    private let authenticate: AuthenticateEndpoint
    private let sessions: SessionsEndpoint
    private let endpoints: OAuthEndpoints

    init(_ world: OAuthWorld, journal: Journal) {
        settings = world.settings
        authenticate = AuthenticateEndpoint(
            world.settings, directory: world.directory, sessions: world.sessions, journal: journal)
        sessions = SessionsEndpoint(settings: world.settings, sessions: world.sessions)
        endpoints = OAuthEndpoints(world)
    }

    func issuer(_ base: String) -> String { ([base, "am", "oauth2"] + settings.realmPath).joined(separator: "/") }

    func json(_ call: Call, _ realm: RealmPath) -> ServerResponse {
        let known = realm.realm == settings.realmName
        switch realm.rest {
        case ["authenticate"]:
            return known ? authenticate.answer(call) : .amError(400, "No Configuration found")
        case ["sessions"] where known: return sessions.answer(call)
        case ["serverinfo", "*"] where known: return ServerInfo(settings: settings).answer(call)
        default: return .amError(404, "Not Found")
        }
    }

    func oauth(_ call: Call, _ realm: RealmPath) -> ServerResponse { endpoints.answer(call, realm) }
}
