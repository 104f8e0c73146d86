internal import HTTPCore
internal import JourneyClient
internal import OpenIDConnect
internal import Orchestrate
internal import ProductKit

extension JourneySettings {
    /// Applies the settings to the configuration of a journey client, so that a live check begins journeys as sign-ins
    /// do.
    ///
    /// The caller sets transport, clock, log and tokens.
    func configure(_ config: inout JourneyConfig, of client: ClientSettings, _ pages: PageOrigins) {
        config.serverUrl = serverURL.text
        config.realm = realm
        config.cookie = cookieName
        config.journey = journeys.first
        config.publicUrl = pages.publicURL.text
        config.origins = pages.corsOrigins
        config.forward = forward
        config.requestedWith = requestedWith
        config.platform = platform
        config.balancerCookies = balancerCookies
        config.sessionUpgrade = sessionUpgrade
        client.configure(&config, languages, pages)
        config.module(Modules.customHeader, mode: .append) { config in
            for field in headers { config.header(name: "\(field.name)", value: field.value) }
        }
    }
}
