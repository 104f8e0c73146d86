public import Basics
internal import Discovery
internal import HTTPClient
public import HTTPCore
public import Logs
public import OpenIDConnect
public import Orchestrate

/// How to reach PingOne and what a client of its flows is made of.
public struct DaVinciConfig {
    /// Which languages are asked for; the caller's unless set.
    ///
    /// Those of the start hold for the whole flow.
    public var languages = LanguagePreference()
    /// Which platform the calls say they run on, `javascript` unless set; flows may look at it.
    public var platform = "javascript"
    /// How a flow is begun, by GET unless set; by POST when the parameters are too long for an address.
    public var startsBy = Authorization.Method.get
    /// In which form a chosen device goes back.
    public var deviceValue = DeviceValue.web
    /// The cookies that are kept with the session; all others end with the flow.
    public var persistCookies = ["ST", "ST-NO-SS"]
    /// Where buttons may lead users besides PingOne's own hosts; the server sends them nowhere else.
    public var links = LinkHosts()
    /// How long a start may take, 30 seconds unless set, and the question for the status of a challenge, which has 5 at most.
    public var timeout: Duration = .seconds(30)
    /// How long PingOne may take for an answer to a page or a poll of the flow, 125 seconds unless set: a node of a flow may call others for 120.
    ///
    /// A caller's deadline counts besides.
    public var nextTimeout: Duration = .seconds(125)
    /// How long before its end an access token is renewed, a minute unless set; at most half its life.
    public var refreshThreshold: Duration = .seconds(60)
    /// Where this client logs, nowhere unless set.
    public var logger = Logger.silent
    /// Sends the requests; the process-wide transport unless set.
    public var transport: any HTTPTransport = DefaultTransport.shared
    /// Wall-clock time, the machine's unless set.
    public var time: any TimeSource = SystemTime()
    /// Allows http to hosts that are not this machine.
    public var insecureHTTP = false
    private(set) var modules = WorkflowConfig()
    private(set) var client: OpenIDClient?
    private(set) var oidc: OIDCConfig?

    /// A configuration with the modules of a flow: headers, request, node transform, tokens, session.
    public init() {
        modules.module(Modules.customHeader) { headers in
            headers.header(name: "Accept", value: "application/json")
            headers.header(name: "Accept-Language") { $0.flow[.davinciLanguages] }
        }
        modules.module(DaVinciModules.request)
        modules.module(DaVinciModules.transform)
        modules.module(DaVinciModules.tokens)
        modules.module(DaVinciModules.session)
    }

    /// The OpenID client of PingOne by which flows begin and tokens come.
    ///
    /// Its transport should be `PingHeaders`, so that all calls name the platform.
    public mutating func oidc(_ client: OpenIDClient) {
        self.client = client
        oidc = nil
    }

    /// The OpenID client of PingOne by which flows begin and tokens come.
    ///
    /// - Parameter configure: Changes a fresh configuration: discovery, client id, redirect URI and scopes at least.
    public mutating func oidc(_ configure: (inout OIDCConfig) -> Void) {
        var config = OIDCConfig()
        configure(&config)
        oidc = config
        client = nil
    }

    /// Registers a module, see `WorkflowConfig.module`; those of the client itself may be overridden.
    public mutating func module<Config>(
        _ module: Module<Config>, priority: Int = 10, mode: OverrideMode = .override,
        _ configure: (inout Config) -> Void = { _ in }
    ) {
        modules.module(module, priority: priority, mode: mode, configure)
    }

    /// The configuration of the engine.
    func workflow(_ settings: DaVinciModuleSettings) -> WorkflowConfig {
        var config = modules
        config.timeout = nextTimeout
        config.logger = logger
        config.transport = PingHeaders(transport, platform: platform)
        config.time = time
        config.product = settings
        return config
    }

    /// The OpenID client that was given, or one of the block of `oidc`.
    ///
    /// - Throws: `.oidc` naming the member that cannot be used.
    func openIDClient() throws(DaVinciConfigurationError) -> OpenIDClient {
        if let client { return client }
        guard let oidc else { throw .oidc("it is missing") }
        let settings: OpenIDClientSettings
        do {
            settings = try oidc.registration(discovery: nil, insecureHTTP: insecureHTTP)
        } catch {
            guard case .configuration(let what) = error else { throw .oidc("\(error)") }
            throw .oidc(what)
        }
        let own = PingHeaders(transport, platform: platform)
        return OpenIDClient(
            settings, directory: ProviderDirectory(transport: own, time: time, logger: logger), transport: own,
            time: time, logger: logger)
    }
}

/// Why a client of DaVinci cannot be built.
public enum DaVinciConfigurationError: Error, Sendable, Equatable {
    /// The OpenID client cannot be used; names what is missing or wrong in it.
    case oidc(String)
    /// There is more than one policy: PingOne does not try them in turn.
    case acrValues
    /// `platform` cannot be the value of a header.
    case platform
    /// The engine cannot be built; says why.
    case workflow(String)
    /// A module of DaVinci is used in a workflow that is none.
    case noDaVinci
}
