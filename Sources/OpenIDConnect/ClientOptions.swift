public import Basics
internal import Discovery
internal import HTTPClient
public import HTTPCore
public import Logs
public import Orchestrate

/// The options of every product's client.
public struct ClientOptions {
    /// The preferred languages; the caller's unless set.
    ///
    /// The languages at the start hold for the whole flow.
    public var languages = LanguagePreference()
    /// The hosts besides the provider's own to which pages may lead users; other addresses are refused.
    public var links = LinkHosts()
    /// True if http is allowed to hosts other than this machine.
    public var insecureHTTP = false
    /// The time limit of one request, 30 seconds unless set.
    public var timeout: Duration = .seconds(30)
    /// How long before its expiry an access token is renewed, 60 seconds unless set; at most half its lifetime.
    public var refreshThreshold: Duration = .seconds(60)
    /// The logger of the client; silent unless set.
    public var logger = Logger.silent
    /// The transport that sends the requests; `DefaultTransport.shared` unless set.
    public var transport: any HTTPTransport = DefaultTransport.shared
    /// The clock for wall-clock time and waits; the machine's unless set.
    public var time: any TimeSource = SystemTime()
    private var client: OpenIDClient?
    private var oidc: OIDCConfig?
    fileprivate var modules = WorkflowConfig()

    /// Makes options without modules and without an OpenID client.
    package init() {}

    /// The token store for callers that bring none; nil to store no tokens for them.
    package var tokenStorage: (any Storage<TokenSet>)? { oidc?.storage }

    /// The configuration of the engine.
    package func workflow(
        _ product: any Sendable, timeout: Duration, sending transport: any HTTPTransport
    ) -> WorkflowConfig {
        var config = modules
        config.timeout = timeout
        config.logger = logger
        config.transport = transport
        config.time = time
        config.product = product
        return config
    }

    /// The OpenID client that was set, or a new one from the `oidc` block, with its renewals; nil if there is neither.
    ///
    /// - Parameters:
    ///   - discovery: The discovery document's default address; nil where the product has no default.
    ///   - transport: Sends the requests of a new client.
    ///   - adjust: Changes the settings of a new client.
    /// - Returns: The source of tokens.
    /// - Throws: The text that names the member that cannot be used.
    package func tokenSource(
        discovery: WebURL? = nil, sending transport: any HTTPTransport,
        _ adjust: (inout OpenIDClientSettings) -> Void = { _ in }
    ) throws(OIDCConfigError) -> TokenSource? {
        var client = client
        if let oidc {
            var settings: OpenIDClientSettings
            do { settings = try oidc.registration(discovery: discovery, insecureHTTP: insecureHTTP) } catch {
                guard case .configuration(let what) = error else { throw OIDCConfigError(text: "\(error)") }
                throw OIDCConfigError(text: what)
            }
            adjust(&settings)
            client = OpenIDClient(
                settings, directory: ProviderDirectory(transport: transport, time: time, logger: logger),
                transport: transport, time: time, logger: logger)
        }
        return client.map { TokenSource($0, threshold: refreshThreshold, time: time) }
    }

    fileprivate mutating func use(_ client: OpenIDClient?, _ oidc: OIDCConfig?) {
        self.client = client
        self.oidc = oidc
    }
}

/// Tells which member of an `oidc` block cannot be used.
package struct OIDCConfigError: Error {
    /// The name of the member, and what is wrong with it.
    package let text: String
}

/// The configuration of a product's client; its common options are members of it, `config.timeout`.
@dynamicMemberLookup
public protocol ProductConfig {
    /// The options that all products have.
    var options: ClientOptions { get set }
}

extension ProductConfig {
    /// One of the options that all products have.
    public subscript<Option>(dynamicMember option: WritableKeyPath<ClientOptions, Option>) -> Option {
        get { options[keyPath: option] }
        set { options[keyPath: option] = newValue }
    }

    /// Sets the OpenID client, which obtains the tokens when a flow signs a user in.
    public mutating func oidc(_ client: OpenIDClient) {
        options.use(client, nil)
    }

    /// Configures the OpenID client, which obtains the tokens when a flow signs a user in.
    ///
    /// - Parameter configure: Changes a new configuration: client id, redirect URI and scopes at least, and discovery
    ///   where the product has no default.
    public mutating func oidc(_ configure: (inout OIDCConfig) -> Void) {
        var config = OIDCConfig()
        configure(&config)
        options.use(nil, config)
    }

    /// Registers a module, see `WorkflowConfig.module`; the client's own modules may be overridden.
    public mutating func module<Config>(
        _ module: Module<Config>, priority: Int = 10, mode: OverrideMode = .override,
        _ configure: (inout Config) -> Void = { _ in }
    ) {
        options.modules.module(module, priority: priority, mode: mode, configure)
    }
}
