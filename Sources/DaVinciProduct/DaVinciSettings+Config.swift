internal import DaVinciClient
internal import OpenIDConnect
internal import ProductKit

extension DaVinciSettings {
    /// Applies the settings to the configuration of a DaVinci client, so that a live check begins flows as sign-ins do.
    ///
    /// The caller sets transport, clock, log and tokens.
    func configure(_ config: inout DaVinciConfig, of client: ClientSettings, _ pages: PageOrigins) {
        config.platform = platform
        config.startsBy = startsBy
        config.deviceValue = deviceValue
        config.persistCookies = persistCookies
        client.configure(&config, languages, pages)
        config.nextTimeout = client.stepTimeout ?? client.timeout
    }
}
