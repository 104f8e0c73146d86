package import BFF
package import BFFAPI
public import HTTPClient
package import HTTPServer
public import ResourceServer
public import StorageKit

/// Everything that a server is made of: one immutable value, valid once it exists.
public struct Settings: Sendable {
    /// Where browsers (or their proxy) connect.
    package var listener: ListenerSettings
    /// Where operators connect; nil for no such listener.
    package var admin: ListenerSettings?
    /// How the API meets browsers.
    package var api: APISettings
    /// Life times and bounds of sessions and flows.
    package var sessions: BFFSettings
    /// Where sessions lie.
    public var store: StoreSettings
    /// The keys that tickets are wrapped under, the current one first.
    public var keys: ServerKeys
    /// The clients, in the order of the configuration.
    public var clients: [ClientSettings]
    /// What routes and clients may demand of a token, in the order of the configuration; `requirements`.
    public var requirements: [Requirement]
    /// The APIs that calls are passed on to; `routes`.
    package var routes: [RouteSettings]
    /// Whose access tokens bearer callers of `/authz` may bring, without which there is no `/authz`; `issuers`.
    public var issuers: [TrustedIssuer]
    /// Whose questions to `/authz` the public listener answers, as the admin listener always does; `authz.peers`.
    package var authzPeers: [AddressRange]
    /// How often issuers may have to be asked because of one caller of `/authz`; `server.rates.authz`.
    package var authzRate = AuthzSettings().rate
    /// Whether `/authz` puts the issuer in front of subjects; `authz.subjects`.
    package var qualifiesSubjects = false
    /// Access tokens of bearer callers that are remembered as verified, zero for none; `authz.cachedTokens`.
    public var cachedTokens: Int
    /// How providers are called.
    public var outbound: HTTPClientSettings
    /// How long a stopping server waits for requests under way.
    public var drain: Duration
    /// How the process logs.
    public var log: LogSettings

    /// The settings of a server.
    package init(
        listener: ListenerSettings, admin: ListenerSettings? = nil, api: APISettings,
        sessions: BFFSettings = BFFSettings(), store: StoreSettings = .memory, keys: ServerKeys,
        clients: [ClientSettings], requirements: [Requirement] = [], routes: [RouteSettings] = [],
        issuers: [TrustedIssuer] = [], authzPeers: [AddressRange] = [], cachedTokens: Int = 10_000,
        outbound: HTTPClientSettings = HTTPClientSettings(),
        drain: Duration = .seconds(20), log: LogSettings = LogSettings()
    ) {
        self.listener = listener
        self.admin = admin
        self.api = api
        self.sessions = sessions
        self.store = store
        self.keys = keys
        self.clients = clients
        self.requirements = requirements
        self.routes = routes
        self.issuers = issuers
        self.authzPeers = authzPeers
        self.cachedTokens = cachedTokens
        self.outbound = outbound
        self.drain = drain
        self.log = log
    }
}
