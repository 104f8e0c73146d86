public import Basics
internal import HTTPClient
public import HTTPCore
public import Logs
public import OpenIDConnect
public import Orchestrate

/// The configuration of a journey client: how to reach AM, and the modules.
public struct JourneyConfig {
    /// The address of AM with its deployment path, `https://tenant.example.com/am`; required.
    public var serverUrl = ""
    /// The realm, `root` unless set: `alpha`, `/alpha`, `root/alpha` and the canonical form mean the same.
    public var realm = "root"
    /// The name of AM's session cookie; read from AM's serverinfo unless set.
    public var cookie: String?
    /// The journey that `start` runs when it names none.
    public var journey: String?
    /// The address under which browsers see the application.
    ///
    /// Its origin is sent as `Origin`, unless the caller's page has another origin of the application.
    public var publicUrl: String?
    /// Further origins of the application's pages, exactly as browsers write them.
    ///
    /// If the caller's page has one of these origins, AM receives that `Origin`; any other origin is not forwarded.
    public var origins: [String] = []
    /// The languages that AM is asked for; the caller's unless set.
    public var languages = LanguagePreference()
    /// The further facts about the caller's browser that AM receives; none unless set.
    public var forward = BrowserForwarding()
    /// The SDK of Ping that the requests name in `X-Requested-With`.
    public var requestedWith = RequestedWith.pingSDK
    /// The platform that the requests name in `X-Requested-Platform`.
    ///
    /// Unless set it depends on `requestedWith`: `javascript` for `.pingSDK`, none for `.forgerockSDK`.
    public var platform: String?
    /// Load balancer cookies that are kept with a session, besides `amlbcookie`.
    public var balancerCookies: [String] = []
    /// How a session that is to be upgraded reaches the journey.
    public var sessionUpgrade = SessionUpgrade.header
    /// The hosts besides AM's own to which pages may redirect users.
    ///
    /// The server redirects to no other host; programs ask `Journey.allows`.
    public var links = LinkHosts()
    /// The forms of requests that AM's sessions endpoint accepts; clients of the same AM may share the memory.
    package var sessionsMemory = SessionsMemory()
    /// Allows an `http` address of another machine.
    public var insecureHTTP = false
    /// The callback types that the client supports.
    public var catalogue = CallbackCatalogue.standard
    /// The timeout of one request, 30 seconds unless set.
    public var timeout: Duration = .seconds(30)
    /// The logger of this client; silent unless set.
    public var logger = Logger.silent
    /// The transport that sends the requests; `DefaultTransport.shared` unless set.
    public var transport: any HTTPTransport = DefaultTransport.shared
    /// The clock for wall-clock time and waits; the machine's unless set.
    public var time: any TimeSource = SystemTime()
    /// How long before its expiry an access token is renewed, 60 seconds unless set; at most half its lifetime.
    public var refreshThreshold: Duration = .seconds(60)
    private(set) var modules = WorkflowConfig()
    private(set) var client: OpenIDClient?
    private(set) var oidc: OIDCConfig?

    /// Makes a configuration with the modules of a journey: headers, request, browser, node transform, session, tokens.
    public init() {
        modules.module(Modules.customHeader) { headers in
            headers.header(name: "Accept", value: "application/json")
            headers.header(name: "x-requested-with") { $0.shared[.requestedWith]?.rawValue }
            headers.header(name: "x-requested-platform") { $0.shared[.requestedPlatform] }
            headers.header(name: "Accept-Language") { context in
                let wanted = context.flow[.options]?.languages ?? context.caller.languages
                let languages = AcceptLanguage.build(wanted)
                return languages.isEmpty ? nil : languages
            }
        }
        modules.module(JourneyModules.request)
        modules.module(JourneyModules.browser)
        modules.module(JourneyModules.transform)
        modules.module(JourneyModules.session)
        modules.module(JourneyModules.tokens)
    }

    /// Sets the OpenID client that obtains tokens when a journey ends with a session.
    public mutating func oidc(_ client: OpenIDClient) {
        self.client = client
        oidc = nil
    }

    /// Obtains tokens when a journey ends with a session, by a client that is registered in the journey's realm.
    ///
    /// - Parameter configure: Changes a fresh configuration: client id, redirect URI and scopes at least.
    public mutating func oidc(_ configure: (inout OIDCConfig) -> Void) {
        var config = OIDCConfig()
        configure(&config)
        oidc = config
        client = nil
    }

    /// Registers a module, see `WorkflowConfig.module`; a module of the journey itself may be overridden.
    public mutating func module<Config>(
        _ module: Module<Config>, priority: Int = 10, mode: OverrideMode = .override,
        _ configure: (inout Config) -> Void = { _ in }
    ) {
        modules.module(module, priority: priority, mode: mode, configure)
    }

    /// The configuration of the engine.
    func workflow(_ settings: JourneyModuleSettings) -> WorkflowConfig {
        var config = modules
        config.timeout = timeout
        config.logger = logger
        config.transport = transport
        config.time = time
        config.product = settings
        return config
    }
}

/// The reason why a journey client cannot be built.
public enum JourneyConfigurationError: Error, Sendable, Equatable {
    /// `serverUrl` is not an http or https address, or it has a query.
    case serverUrl
    /// `serverUrl` is an http address of another machine.
    case insecureServerUrl
    /// `realm` is not a valid realm.
    case realm
    /// `cookie`, or the name that AM publishes, is not usable as the name of a session header.
    case cookieName
    /// `publicUrl` is not an http or https address.
    case publicUrl
    /// One of `origins` is not an origin as browsers write it.
    case origin
    /// The `oidc` block is not usable; the text names the missing or wrong member.
    case oidc(String)
    /// The engine cannot be built; the text says why.
    case workflow(String)
    /// A journey module is used in a workflow that is not a journey.
    case noJourney
}
