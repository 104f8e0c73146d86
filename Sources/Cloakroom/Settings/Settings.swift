package import BFF
package import BFFAPI
package import Basics
public import HTTPClient
package import HTTPServer
public import ProductKit
public import ResourceServer
public import StorageKit

/// The settings of a server: one immutable value, valid once it exists.
public struct Settings: Sendable {
    /// The address and limits of the listener for browsers (or their proxy).
    package var listener: ListenerSettings
    /// The address and limits of the listener for operators; nil for no such listener.
    package var admin: ListenerSettings?
    /// The token with which operators list and end sessions at the admin listener; nil for no such operations;
    /// `server.adminToken`.
    package var adminToken: Secret<String>?
    /// The settings of the browser API.
    package var api: APISettings
    /// Life times and bounds of sessions and flows.
    package var sessions: BFFSettings
    /// The store of the sessions.
    public var store: StoreSettings
    /// The keys that wrap tickets, the current one first.
    public var keys: ServerKeys
    /// The storages that clients name, in the order of the configuration; `storages`.
    package var storages: [StorageSettings] = []
    /// The clients, in the order of the configuration.
    public var clients: [ClientSettings]
    /// The requirements for tokens that routes and clients may name, in the order of the configuration; `requirements`.
    public var requirements: [Requirement]
    /// The APIs that calls are passed on to; `routes`.
    package var routes: [RouteSettings]
    /// The issuers whose access tokens `/authz` judges; without any there is no `/authz`; `issuers`.
    public var issuers: [TrustedIssuer]
    /// The peers whose questions to `/authz` the public listener answers; the admin listener answers all callers;
    /// `authz.peers`.
    package var authzPeers: [AddressRange]
    /// The rate of requests to issuers caused by one caller of `/authz`; `server.rates.authz`.
    package var authzRate = AuthzSettings().rate
    /// True to put the issuer before subjects in answers of `/authz`; `authz.subjects`.
    package var qualifiesSubjects = false
    /// The most verified access tokens in the cache of `/authz`, zero for none; `authz.cachedTokens`.
    public var cachedTokens: Int
    /// The HTTP client for all outbound calls.
    public var outbound: HTTPClientSettings
    /// The time that a stopping server waits for requests in flight.
    public var drain: Duration
    /// The settings of the log.
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
