package import BFF
public import OpenIDConnect

/// One client of the configuration.
public struct ClientSettings: Sendable, Equatable {
    /// The name in paths, `[A-Za-z0-9_-]{1,32}`.
    public var name: String
    /// The product, and what it needs.
    public var product: ProductSettings
    /// The longest one provider call may take.
    public var timeout: Duration
    /// The longest the provider may take for the answer to a page; nil for `timeout`.
    public var stepTimeout: Duration?
    /// The OpenID registration.
    public var openID: OpenIDClientSettings
    /// Renews an access token this long before its end.
    public var refreshThreshold: Duration
    /// Prolongs the provider session while the user is active here; `keepProviderSession`, false unless set.
    public var keepsSession: Bool
    /// The session storage; nil for the one that all clients of the same provider share.
    public var sessionStorage: String?
    /// The token storage; nil for the one that all clients of the same provider share.
    public var tokenStorage: String?
    /// Limits of its own.
    package var limits: ClientLimits
    /// The requirement that every token of this client has to meet before it is stored, nil for none; `minimum`.
    public var minimum: String?
    /// What `start` may ask for, besides what only its product knows.
    package var allowed: StartAllowance
    /// Lets addresses of the provider be http on another machine.
    public var insecureHTTP: Bool
    /// Which pages may use credentials of browsers; `webAuthn`, those of the server's own origins unless set.
    public var webAuthn = WebAuthnSettings()
    /// Lets elevated tokens live for more than a day; `insecureLimits`, false unless set.
    public var insecureLimits = false
    /// Hosts that pages may send users to, besides the provider's own; `linkHosts`, none unless set.
    public var linkHosts: [String] = []

    /// A client of a product.
    package init(
        name: String, product: ProductSettings, timeout: Duration = .seconds(30), openID: OpenIDClientSettings,
        refreshThreshold: Duration = .seconds(60), keepsSession: Bool = false,
        sessionStorage: String? = nil, tokenStorage: String? = nil, limits: ClientLimits = ClientLimits(),
        minimum: String? = nil, allowed: StartAllowance = StartAllowance(), insecureHTTP: Bool = false
    ) {
        self.name = name
        self.product = product
        self.timeout = timeout
        self.openID = openID
        self.refreshThreshold = refreshThreshold
        self.keepsSession = keepsSession
        self.sessionStorage = sessionStorage
        self.tokenStorage = tokenStorage
        self.limits = limits
        self.minimum = minimum
        self.allowed = allowed
        self.insecureHTTP = insecureHTTP
    }
}
