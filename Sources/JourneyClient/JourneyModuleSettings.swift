internal import Basics
internal import Discovery
internal import HTTPCore
internal import OpenIDConnect
internal import Orchestrate

/// The checked settings that the modules of a journey share.
struct JourneyModuleSettings: Sendable {
    let authenticate: WebURL
    let sessions: WebURL
    /// The name of AM's session cookie.
    let cookie: SessionCookieName
    /// The value of `Origin` on the authenticate endpoint for pages that have none of `origins`.
    let publicOrigin: String?
    /// The origins of the application's pages.
    let origins: Set<String>
    let languages: LanguagePreference
    let forward: BrowserForwarding
    let requestedWith: RequestedWith
    let platform: String?
    let defaultJourney: String?
    let balancerCookies: [String]
    let catalogue: CallbackCatalogue
    /// The source of tokens; nil in a client without OIDC.
    let tokens: TokenSource?
    let tokenStorage: (any Storage<TokenSet>)?
    let sessionUpgrade: SessionUpgrade
    let realm: RealmPath
    let links: LinkHosts
    let memory: SessionsMemory

    /// The values of `Accept-API-Version` for the endpoints.
    static let authenticateVersion = "resource=2.1, protocol=1.0"
    static let serverInfoVersion = "resource=1.1, protocol=1.0"

    init(_ config: JourneyConfig) throws(JourneyConfigurationError) {
        // rule: the server's address has no query
        guard let server = WebURL(config.serverUrl), server.query == nil else { throw .serverUrl }
        // rule: the server is asked by TLS
        guard server.scheme == .https || server.isLoopback || config.insecureHTTP else { throw .insecureServerUrl }
        guard let realm = RealmPath(config.realm) else { throw .realm }
        let base = server.appending(path: "/json/" + realm.text)
        authenticate = base.appending(path: "/authenticate")
        sessions = base.appending(path: "/sessions")
        // rule: the cookie's name is a token
        if let name = config.cookie, !Self.isCookieName(name) { throw .cookieName }
        cookie = SessionCookieName(
            configured: config.cookie, serverInfo: base.appending(path: "/serverinfo/*"), time: config.time)
        let publicOrigin = try config.publicUrl.map { text throws(JourneyConfigurationError) in
            guard let url = WebURL(text) else { throw .publicUrl }
            return url.origin
        }
        // rule: origins are written as browsers write them
        guard config.origins.allSatisfy({ WebURL($0)?.origin == $0 }) else { throw .origin }
        self.publicOrigin = publicOrigin
        origins = Set(config.origins).union(publicOrigin.map { [$0] } ?? [])
        languages = config.languages
        forward = config.forward
        requestedWith = config.requestedWith
        platform = config.platform ?? config.requestedWith.platform
        defaultJourney = config.journey
        balancerCookies = ["amlbcookie"] + config.balancerCookies
        catalogue = config.catalogue
        sessionUpgrade = config.sessionUpgrade
        self.realm = realm
        links = config.links.adding(server.authority)
        memory = config.sessionsMemory
        do {
            tokens = try config.options.tokenSource(
                discovery: Journey.discoveryAddress(serverURL: server, realm: config.realm),
                sending: config.transport
            ) { $0.endpoints.isAM = true }
        } catch {
            throw .oidc(error.text)
        }
        tokenStorage = config.options.tokenStorage
    }

    /// The settings of the journey, for a module that is being set up.
    ///
    /// - Throws: `JourneyConfigurationError.noJourney` in a workflow that `createJourney` did not make.
    static func of<Config>(_ setup: Setup<Config>) throws -> JourneyModuleSettings {
        guard let settings = setup.services.product as? JourneyModuleSettings else {
            throw JourneyConfigurationError.noJourney
        }
        return settings
    }

    /// True if a text can be the name of the session header: a token of at most 128 bytes that `Journey.isOwnField`
    /// does not reserve.
    static func isCookieName(_ name: String) -> Bool {
        let isToken = (try? HTTPField.Name(checking: name)) != nil
        // rule: no field of our own is the session's | isToken
        return isToken && name.utf8.count <= 128 && !Journey.isOwnField(name)
    }
}
