public import Basics
internal import Discovery
internal import HTTPClient
public import HTTPCore
public import Logs
public import OpenIDConnect
public import Orchestrate

/// The configuration of a DaVinci client: how to reach PingOne, and the modules of its flows.
public struct DaVinciConfig {
    /// The preferred languages; the caller's unless set.
    ///
    /// The languages at the start hold for the whole flow.
    public var languages = LanguagePreference()
    /// The platform that requests to PingOne name, `javascript` unless set; flows may depend on it.
    public var platform = "javascript"
    /// The HTTP method of a start, GET unless set; POST when the parameters are too long for an address.
    public var startsBy = Authorization.Method.get
    /// The form in which a chosen device is sent.
    public var deviceValue = DeviceValue.web
    /// The names of the cookies that are kept with the session; all others end with the flow.
    public var persistCookies = ["ST", "ST-NO-SS"]
    /// The hosts besides PingOne's own that buttons may lead users to; other addresses are refused.
    public var links = LinkHosts()
    /// The time limit for a start, 30 seconds unless set.
    ///
    /// Also limits the request for a challenge's status, which takes at most 5 seconds.
    public var timeout: Duration = .seconds(30)
    /// The time limit for PingOne's answer to a page or a poll, 125 seconds unless set: a node of a flow may call other
    /// services for 120 seconds.
    ///
    /// The caller's deadline applies as well.
    public var nextTimeout: Duration = .seconds(125)
    /// How long before its expiry an access token is renewed, a minute unless set; at most half its lifetime.
    public var refreshThreshold: Duration = .seconds(60)
    /// The client's logger; silent unless set.
    public var logger = Logger.silent
    /// The transport of the requests; the process-wide transport unless set.
    public var transport: any HTTPTransport = DefaultTransport.shared
    /// The wall clock, the machine's unless set.
    public var time: any TimeSource = SystemTime()
    /// True if http is allowed to hosts other than this machine.
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

    /// Sets the OpenID client of PingOne, which begins flows and obtains tokens.
    ///
    /// Its transport should be `PingHeaders`, so that all requests name the platform.
    public mutating func oidc(_ client: OpenIDClient) {
        self.client = client
        oidc = nil
    }

    /// Configures the OpenID client of PingOne, which begins flows and obtains tokens.
    ///
    /// - Parameter configure: Changes a new configuration: discovery, client id, redirect URI and scopes at least.
    public mutating func oidc(_ configure: (inout OIDCConfig) -> Void) {
        var config = OIDCConfig()
        configure(&config)
        oidc = config
        client = nil
    }

    /// Registers a module, see `WorkflowConfig.module`; the client's own modules may be overridden.
    public mutating func module<Config>(
        _ module: Module<Config>, priority: Int = 10, mode: OverrideMode = .override,
        _ configure: (inout Config) -> Void = { _ in }
    ) {
        modules.module(module, priority: priority, mode: mode, configure)
    }

    /// The configuration of the workflow engine.
    func workflow(_ settings: DaVinciModuleSettings) -> WorkflowConfig {
        var config = modules
        config.timeout = nextTimeout
        config.logger = logger
        config.transport = PingHeaders(transport, platform: platform)
        config.time = time
        config.product = settings
        return config
    }

    /// The given OpenID client, or a new one from the `oidc` configuration.
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

/// Why a DaVinci client cannot be built.
public enum DaVinciConfigurationError: Error, Sendable, Equatable {
    /// The OpenID client cannot be used; names the missing or wrong setting.
    case oidc(String)
    /// There is more than one policy: PingOne does not try several in turn.
    case acrValues
    /// `platform` cannot be the value of a header.
    case platform
    /// The workflow engine cannot be built; gives the reason.
    case workflow(String)
    /// A module of DaVinci is used in a workflow that is not a DaVinci flow.
    case noDaVinci
}
