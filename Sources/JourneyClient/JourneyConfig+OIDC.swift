internal import Discovery
internal import HTTPCore
internal import OpenIDConnect

extension JourneyConfig {
    /// The OpenID client of the `oidc` block, registered in the journey's realm unless the block says otherwise.
    ///
    /// It sends its requests by the transport of the journey.
    ///
    /// - Throws: `.oidc` naming the member that cannot be used.
    func client(of oidc: OIDCConfig) throws(JourneyConfigurationError) -> OpenIDClient {
        let realm = WebURL(serverUrl).flatMap { Journey.discoveryAddress(serverURL: $0, realm: self.realm) }
        var settings: OpenIDClientSettings
        do {
            settings = try oidc.registration(discovery: realm, insecureHTTP: insecureHTTP)
        } catch {
            guard case .configuration(let what) = error else { throw .oidc("\(error)") }
            throw .oidc(what)
        }
        settings.endpoints.isAM = true
        return OpenIDClient(
            settings, directory: ProviderDirectory(transport: transport, time: time, logger: logger),
            transport: transport, time: time, logger: logger)
    }
}
