internal import BFFAPI
internal import HTTPCore
internal import JourneyClient
internal import Orchestrate

extension JourneySettings {
    /// Puts what the settings say into the configuration of a journey client, so that a trial begins journeys as sign-ins do.
    ///
    /// Transport, clock, log and tokens are up to who makes the client.
    func configure(_ config: inout JourneyConfig, of client: ClientSettings, _ api: APISettings) {
        config.serverUrl = serverURL.text
        config.realm = realm
        config.cookie = cookieName
        config.journey = journeys.first
        config.publicUrl = api.publicURL.text
        config.origins = api.corsOrigins
        config.languages = languages
        config.forward = forward
        config.requestedWith = requestedWith
        config.platform = platform
        config.balancerCookies = balancerCookies
        config.sessionUpgrade = sessionUpgrade
        config.insecureHTTP = client.insecureHTTP
        config.timeout = client.timeout
        config.module(Modules.customHeader, mode: .append) { config in
            for field in headers { config.header(name: "\(field.name)", value: field.value) }
        }
    }
}
