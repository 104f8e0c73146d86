internal import HTTPCore
public import OpenIDConnect
internal import Orchestrate

/// The configuration of a journey client: how to reach AM, and the modules.
public struct JourneyConfig: ProductConfig {
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
    /// The forms of requests that AM's sessions endpoint accepts; clients of the same AM may share the memory.
    package var sessionsMemory = SessionsMemory()
    /// The callback types that the client supports.
    public var catalogue = CallbackCatalogue.standard
    /// The options that all products have.
    ///
    /// A user is redirected only to the hosts of `links` and to AM's own: programs ask `Journey.allows`. An OpenID
    /// client that `oidc` configures is registered in the journey's realm.
    public var options = ClientOptions()

    /// Makes a configuration with the modules of a journey: headers, request, browser, node transform, session, tokens.
    public init() {
        module(Modules.customHeader) { headers in
            headers.header(name: "Accept", value: "application/json")
            headers.header(name: "x-requested-with") { $0.shared[.requestedWith]?.rawValue }
            headers.header(name: "x-requested-platform") { $0.shared[.requestedPlatform] }
            headers.header(name: "Accept-Language") { context in
                let wanted = context.flow[.options]?.languages ?? context.caller.languages
                let languages = AcceptLanguage.build(wanted)
                return languages.isEmpty ? nil : languages
            }
        }
        module(JourneyModules.request)
        module(JourneyModules.browser)
        module(JourneyModules.transform)
        module(JourneyModules.session)
        module(JourneyModules.tokens)
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
