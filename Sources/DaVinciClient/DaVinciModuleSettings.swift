internal import Basics
internal import HTTPCore
internal import OpenIDConnect
internal import Orchestrate

/// The settings that the modules of a flow share; validated when they are made.
struct DaVinciModuleSettings: Sendable {
    /// The OpenID client, which begins flows and obtains tokens, and its renewals.
    let tokens: TokenSource
    let languages: LanguagePreference
    let startsBy: Authorization.Method
    let deviceValue: DeviceValue
    let persistCookies: [String]
    let timeout: Duration
    /// The hosts that buttons may lead to: the configured ones, and PingOne's own.
    let links: LinkHosts
    let tokenStorage: (any Storage<TokenSet>)?

    init(_ config: DaVinciConfig) throws(DaVinciConfigurationError) {
        let source: TokenSource?
        do {
            source = try config.options.tokenSource(sending: config.namedTransport)
        } catch {
            throw .oidc(error.text)
        }
        guard let source else { throw .oidc("it is missing") }
        tokens = source
        let client = tokens.client
        // rule: a flow has one policy
        guard client.settings.acrValues.count <= 1 else { throw .acrValues }
        guard (try? HTTPField(.accept, checking: config.platform)) != nil else { throw .platform }
        languages = config.languages
        startsBy = config.startsBy
        deviceValue = config.deviceValue
        persistCookies = config.persistCookies
        timeout = config.timeout
        let own =
            [client.settings.discovery.authority]
            + client.settings.endpointOrigins.compactMap { WebURL($0)?.authority }
        links = own.reduce(config.links) { $0.adding($1) }
        tokenStorage = config.options.tokenStorage
    }

    /// The OpenID client.
    var client: OpenIDClient { tokens.client }

    /// The settings, for a module that is being set up.
    ///
    /// - Throws: `DaVinciConfigurationError.noDaVinci` in a workflow that `createDaVinci` did not make.
    static func of<Config>(_ setup: Setup<Config>) throws -> DaVinciModuleSettings {
        guard let settings = setup.services.product as? DaVinciModuleSettings else {
            throw DaVinciConfigurationError.noDaVinci
        }
        return settings
    }

    /// True if requests of a flow may be sent to an address, since cookies and tokens travel with them.
    private func allows(_ url: WebURL?, besides origin: String) -> Bool {
        // rule: a flow is answered by TLS
        guard let url, url.scheme == .https || url.isLoopback || client.settings.insecureHTTP else { return false }
        // rule: a flow is answered at its own origin | true
        return url.origin.isSameText(as: origin) || client.settings.endpointOrigins.contains(url.origin)
    }

    /// Checks the links of a page, before it is shown and before it is answered.
    ///
    /// - Throws: `DaVinciFlowError` with `linkNotAllowed` for the first link to an address that is not allowed.
    func checkLinks(of page: DaVinciPage, in flow: FlowContext) throws(DaVinciFlowError) {
        let origin = flow[.davinciOrigin] ?? flow.authorization?.endpoint.origin ?? ""
        for link in DaVinciLink.allCases {
            guard let address = page.address(link) else { continue }
            let url = WebURL(address)
            guard allows(url, besides: origin) else {
                throw DaVinciFlowError(.linkNotAllowed, "the link \(link.rawValue) to \(url?.origin ?? "no address")")
            }
        }
    }
}

extension FlowKey where Value == String {
    /// The authorization of the flow, as base64url of its record.
    static var davinciAuthorization: FlowKey { FlowKey("davinci.authorization") }
    /// The origin of the authorization's endpoint, for the links of each page; flows of version 1 lack it.
    static var davinciOrigin: FlowKey { FlowKey("davinci.origin") }
    /// The value of `Accept-Language` on all calls of the flow.
    static var davinciLanguages: FlowKey { FlowKey("davinci.languages") }
    /// The `request_uri` of the pushed parameters; removed when the start is sent.
    static var davinciRequestURI: FlowKey { FlowKey("davinci.requestURI") }
}

extension FlowContext {
    /// The authorization of the flow.
    var authorization: Authorization? {
        get {
            self[.davinciAuthorization].flatMap { Base64URL.decode($0) }.flatMap { try? Authorization(decoding: $0) }
        }
        set { self[.davinciAuthorization] = newValue.map { Base64URL.encode($0.encoded) } }
    }
}
