public import BFF
public import HTTPCore
public import JourneyClient
public import OpenIDConnect

/// One client of the configuration.
public struct ClientSettings: Sendable {
    /// The name in paths, `[A-Za-z0-9_-]{1,32}`.
    public var name: String
    /// AM's address with its deployment path, `https://tenant.example.com/am`.
    public var serverURL: WebURL
    /// The realm.
    public var realm: String
    /// The name of AM's session cookie; nil to read it from serverinfo.
    public var cookieName: String?
    /// Cookies of load balancers that are kept with the session, besides `amlbcookie`.
    public var balancerCookies: [String]
    /// How a session that is to be upgraded reaches AM; `sessionUpgrade`, `header` unless set.
    public var sessionUpgrade: SessionUpgrade
    /// The longest one provider call may take.
    public var timeout: Duration
    /// The OpenID registration.
    public var openID: OpenIDClientSettings
    /// Renews an access token this long before its end.
    public var refreshThreshold: Duration
    /// The session storage; nil for the one that all clients of the same provider share.
    public var sessionStorage: String?
    /// The token storage; nil for the one that all clients of the same provider share.
    public var tokenStorage: String?
    /// Limits of its own.
    public var limits: ClientLimits
    /// The requirement that every token of this client has to meet before it is stored, nil for none; `minimum`.
    public var minimum: String?
    /// What `start` may ask for; the first journey is the default.
    public var allowed: StartAllowance
    /// Lets `serverURL` be http on another machine.
    public var insecureHTTP: Bool

    /// A journey client.
    public init(
        name: String, serverURL: WebURL, realm: String, cookieName: String? = nil, balancerCookies: [String] = [],
        sessionUpgrade: SessionUpgrade = .header, timeout: Duration = .seconds(30), openID: OpenIDClientSettings,
        refreshThreshold: Duration = .seconds(60),
        sessionStorage: String? = nil, tokenStorage: String? = nil, limits: ClientLimits = ClientLimits(),
        minimum: String? = nil, allowed: StartAllowance, insecureHTTP: Bool = false
    ) {
        self.name = name
        self.serverURL = serverURL
        self.realm = realm
        self.cookieName = cookieName
        self.balancerCookies = balancerCookies
        self.sessionUpgrade = sessionUpgrade
        self.timeout = timeout
        self.openID = openID
        self.refreshThreshold = refreshThreshold
        self.sessionStorage = sessionStorage
        self.tokenStorage = tokenStorage
        self.limits = limits
        self.minimum = minimum
        self.allowed = allowed
        self.insecureHTTP = insecureHTTP
    }
}
