internal import BFFAPI
internal import DaVinciClient
internal import HTTPCore

extension DaVinciSettings {
    /// Puts what the settings say into the configuration of a client of flows, so that a trial begins them as sign-ins do.
    ///
    /// Transport, clock, log and tokens are up to who makes the client.
    func configure(_ config: inout DaVinciConfig, of client: ClientSettings, _ api: APISettings) {
        config.platform = platform
        config.languages = languages
        config.startsBy = startsBy
        config.deviceValue = deviceValue
        config.persistCookies = persistCookies
        config.links = LinkHosts(client.linkHosts, insecureLoopback: api.insecureHTTP)
        config.insecureHTTP = client.insecureHTTP
        config.timeout = client.timeout
        config.nextTimeout = client.stepTimeout ?? client.timeout
    }
}
