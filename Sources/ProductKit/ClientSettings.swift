package import BFF
internal import HTTPCore
public import OpenIDConnect
package import Orchestrate

/// One client of the configuration.
public struct ClientSettings: Sendable, Equatable {
    /// The name in paths, `[A-Za-z0-9_-]{1,32}`.
    public var name: String
    /// The product, with its settings.
    package var product: any ProductSettings {
        get { chosen.settings }
        set { chosen = ChosenProduct(settings: newValue) }
    }
    private var chosen: ChosenProduct
    /// The timeout of one provider call.
    public var timeout: Duration
    /// The timeout of the answer to a page; nil for `timeout`.
    public var stepTimeout: Duration?
    /// The OpenID registration.
    public var openID: OpenIDClientSettings
    /// Renews an access token this long before it expires.
    public var refreshThreshold: Duration
    /// True to prolong the provider session while the user is active here; `keepProviderSession`, false unless set.
    public var keepsSession: Bool
    /// The name of the session storage; nil for the one that all clients of the provider share.
    public var sessionStorage: String?
    /// The name of the token storage; nil for the one that all clients of the provider share.
    public var tokenStorage: String?
    /// The client's own session limits.
    package var limits: ClientLimits
    /// The requirement that every token of this client has to meet before it is stored, nil for none; `minimum`.
    public var minimum: String?
    /// The parameters, acr values and prompts that `start` may ask for.
    package var allowed: StartAllowance
    /// True to let addresses of the provider be http on another machine.
    public var insecureHTTP: Bool
    /// The pages that may use WebAuthn credentials; `webAuthn`, those of the server's own origins unless set.
    public var webAuthn = WebAuthnSettings()
    /// True to let elevated tokens live for more than a day; `insecureLimits`, false unless set.
    public var insecureLimits = false
    /// Hosts that pages may send users to, besides the provider's own; `linkHosts`, none unless set.
    public var linkHosts: [String] = []

    /// A client of a product.
    package init(
        name: String, product: any ProductSettings, timeout: Duration = .seconds(30), openID: OpenIDClientSettings,
        refreshThreshold: Duration = .seconds(60), keepsSession: Bool = false,
        sessionStorage: String? = nil, tokenStorage: String? = nil, limits: ClientLimits = ClientLimits(),
        minimum: String? = nil, allowed: StartAllowance = StartAllowance(), insecureHTTP: Bool = false
    ) {
        self.name = name
        chosen = ChosenProduct(settings: product)
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

extension ClientSettings {
    /// One text for each provider, independent of the spelling of its settings.
    package var provider: String { product.provider(of: openID) }

    /// Applies the settings that clients of all products have to a configuration.
    package func configure<Config: ProductConfig>(
        _ config: inout Config, _ languages: LanguagePreference, _ pages: PageOrigins
    ) {
        config.languages = languages
        config.links = LinkHosts(linkHosts, insecureLoopback: pages.insecureHTTP)
        config.insecureHTTP = insecureHTTP
        config.timeout = timeout
    }
}

/// The settings of a product, to be compared without knowing it.
private struct ChosenProduct: Sendable, Equatable {
    var settings: any ProductSettings

    static func == (left: ChosenProduct, right: ChosenProduct) -> Bool { left.settings.isSame(as: right.settings) }
}
