internal import HTTPServer

/// A realm of PingAM.
///
/// Refuses by docs/protocol.md, 'Journeys'.
struct PingRealm: RealmEndpoints {
    private let settings: SimulatorSettings
    private let authenticate: AuthenticateEndpoint
    private let sessions: SessionsEndpoint
    private let endpoints: OAuthEndpoints

    init(
        _ services: OAuthServices, journal: Journal, social: SocialProvider, outbox: Outbox,
        gateway: PolicyGateway
    ) {
        settings = services.settings
        authenticate = AuthenticateEndpoint(
            services, journal: journal, social: social, outbox: outbox, gateway: gateway)
        sessions = SessionsEndpoint(settings: services.settings, sessions: services.sessions)
        endpoints = OAuthEndpoints(services, journal: journal)
    }

    func issuer(_ base: String) -> String { ([base, "am", "oauth2"] + settings.realmPath).joined(separator: "/") }

    func json(_ call: SimulatedCall, _ realm: SimulatedRealm) -> ServerResponse {
        let known = realm.realm == settings.realmName
        switch realm.rest {
        case ["authenticate"]:
            return known ? authenticate.answer(call) : .amError(400, "No Configuration found")
        case ["sessions"] where known: return sessions.answer(call)
        case ["serverinfo", "*"] where known: return ServerInfo(settings: settings).answer(call)
        default: return .amError(404, "Not Found")
        }
    }

    func oauth(_ call: SimulatedCall, _ realm: SimulatedRealm) -> ServerResponse { endpoints.answer(call, realm) }
}
