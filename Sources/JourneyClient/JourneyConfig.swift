public import Basics
internal import HTTPClient
public import HTTPCore
public import Logs
public import OpenIDConnect
public import Orchestrate

/// How to reach AM and what a journey client is made of.
public struct JourneyConfig {
    /// The address of AM with its deployment path, `https://tenant.example.com/am`; required.
    public var serverUrl = ""
    /// The realm, `root` unless set: `alpha`, `/alpha`, `root/alpha` and the canonical form mean the same.
    public var realm = "root"
    /// The name of AM's session cookie; read from AM's serverinfo unless set.
    public var cookie: String?
    /// The journey that `start` runs when it names none.
    public var journey: String?
    /// The address under which browsers see the application: its origin is sent as `Origin`, unless the caller's page has
    /// another one of the application's.
    public var publicUrl: String?
    /// Further origins of the application's pages, exactly as browsers write them; a caller's page of one of them is told
    /// to AM with that `Origin`, any other is not.
    public var origins: [String] = []
    /// Which languages are asked for; the caller's unless set.
    public var languages = LanguagePreference()
    /// What AM is told of the caller's browser besides, nothing unless set.
    public var forward = BrowserForwarding()
    /// Which of Ping's SDKs a journey's calls say they come from.
    public var requestedWith = RequestedWith.pingSDK
    /// Which platform they say they run on; that of the SDK unless set: `javascript`, or none with the former ones.
    public var platform: String?
    /// Cookies of load balancers that are kept with a session, besides `amlbcookie`.
    public var balancerCookies: [String] = []
    /// How a session that is to be upgraded reaches the journey.
    public var sessionUpgrade = SessionUpgrade.header
    /// What is known of AM's sessions endpoint; clients of one AM may share it.
    package var sessionsMemory = SessionsMemory()
    /// Allows an `http` address that is not this machine.
    public var insecureHTTP = false
    /// The callback types that are understood.
    public var catalogue = CallbackCatalogue.standard
    /// How long one request may take, 30 seconds unless set.
    public var timeout: Duration = .seconds(30)
    /// Where this client logs, nowhere unless set.
    public var logger = Logger.silent
    /// Sends the requests; `DefaultTransport.shared` unless set.
    public var transport: any HTTPTransport = DefaultTransport.shared
    /// Wall-clock time and waits, the machine's unless set.
    public var time: any TimeSource = SystemTime()
    /// Renews an access token this long before its end, 60 seconds unless set; at most half its life.
    public var refreshThreshold: Duration = .seconds(60)
    private(set) var modules = WorkflowConfig()
    private(set) var client: OpenIDClient?
    private(set) var oidc: OIDCConfig?

    /// A configuration with the modules of a journey: headers, request, browser, node transform, session, tokens.
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

    /// Obtains tokens with this client when a journey gives a session.
    public mutating func oidc(_ client: OpenIDClient) {
        self.client = client
        oidc = nil
    }

    /// Obtains tokens when a journey gives a session, with a client that is registered in the journey's realm.
    ///
    /// - Parameter configure: Changes a fresh configuration: client id, redirect URI and scopes at least.
    public mutating func oidc(_ configure: (inout OIDCConfig) -> Void) {
        var config = OIDCConfig()
        configure(&config)
        oidc = config
        client = nil
    }

    /// Registers a module, see `WorkflowConfig.module`; those of the journey itself may be overridden.
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

/// Why a journey client cannot be built.
public enum JourneyConfigurationError: Error, Sendable, Equatable {
    /// `serverUrl` is no http or https address, or it has a query.
    case serverUrl
    /// `serverUrl` is http and not this machine.
    case insecureServerUrl
    /// `realm` cannot be a realm.
    case realm
    /// `cookie`, or the name that AM publishes, cannot be the name of a session header.
    case cookieName
    /// `publicUrl` is no http or https address.
    case publicUrl
    /// One of `origins` is no origin as browsers write it.
    case origin
    /// The block of `oidc` cannot be used; names what is missing or wrong in it.
    case oidc(String)
    /// The engine cannot be built; says why.
    case workflow(String)
    /// A module of journeys is used in a workflow that is none.
    case noJourney
}
