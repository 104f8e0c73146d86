public import OpenIDConnect
internal import Orchestrate

/// The configuration of a DaVinci client: how to reach PingOne, and the modules of its flows.
public struct DaVinciConfig: ProductConfig {
    /// The platform that requests to PingOne name, `javascript` unless set; flows may depend on it.
    public var platform = "javascript"
    /// The HTTP method of a start, GET unless set; POST when the parameters are too long for an address.
    public var startsBy = Authorization.Method.get
    /// The form in which a chosen device is sent.
    public var deviceValue = DeviceValue.web
    /// The names of the cookies that are kept with the session; all others end with the flow.
    public var persistCookies = ["ST", "ST-NO-SS"]
    /// The time limit for PingOne's answer to a page or a poll, 125 seconds unless set: a node of a flow may call other
    /// services for 120 seconds.
    ///
    /// The caller's deadline applies as well. All other requests have the limit `timeout`; that for a challenge's
    /// status takes at most 5 seconds.
    public var nextTimeout: Duration = .seconds(125)
    /// The options that all products have.
    ///
    /// An OpenID client that is set by `oidc` should have `PingHeaders` as its transport, so that all requests name
    /// the platform.
    public var options = ClientOptions()

    /// A configuration with the modules of a flow: headers, request, node transform, tokens, session.
    public init() {
        module(Modules.customHeader) { headers in
            headers.header(name: "Accept", value: "application/json")
            headers.header(name: "Accept-Language") { $0.flow[.davinciLanguages] }
        }
        module(DaVinciModules.request)
        module(DaVinciModules.transform)
        module(DaVinciModules.tokens)
        module(DaVinciModules.session)
    }

    /// The transport of all requests, which name the platform.
    var namedTransport: PingHeaders { PingHeaders(options.transport, platform: platform) }
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
