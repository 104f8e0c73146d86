public import DaVinciClient
public import HTTPCore
public import JourneyClient
public import OpenIDConnect
public import Orchestrate

/// The product of a client, with the settings of that product; `clients.*.type`.
public enum ProductSettings: Sendable, Equatable {
    /// Journeys of PingAM or PingOne Advanced Identity Cloud.
    case journey(JourneySettings)
    /// Flows of PingOne DaVinci.
    case davinci(DaVinciSettings)

    var isJourney: Bool { if case .journey = self { true } else { false } }
}

/// The settings of a client of DaVinci flows; the provider is that of its OpenID registration.
public struct DaVinciSettings: Sendable, Equatable {
    /// The platform that the calls name; `platform`, `javascript` unless set.
    public var platform = "javascript"
    /// The languages that are requested; `languages`, the browser's unless set.
    public var languages = LanguagePreference()
    /// The method of the request that begins a flow; `start`, GET unless set.
    public var startsBy = Authorization.Method.get
    /// The form in which a chosen device is sent back; `deviceValue`, `web` unless set.
    public var deviceValue = DeviceValue.web
    /// The cookies that are kept with the session; `persistCookies`, `ST` and `ST-NO-SS` unless set.
    public var persistCookies = ["ST", "ST-NO-SS"]

    /// The default settings.
    public init() {}
}

/// The settings of a client of journeys.
public struct JourneySettings: Sendable, Equatable {
    /// AM's address with its deployment path, `https://tenant.example.com/am`.
    public var serverURL: WebURL
    /// The realm of AM, `alpha` or `/customers/uk`.
    public var realm: String
    /// The name of AM's session cookie; nil to read it from serverinfo.
    public var cookieName: String?
    /// Cookies of load balancers that are kept with the session, besides `amlbcookie`.
    public var balancerCookies: [String]
    /// The way in which a session to be upgraded is sent to AM; `sessionUpgrade`, `header` unless set.
    public var sessionUpgrade: SessionUpgrade
    /// The facts about the browser that AM gets besides its languages and the origin of its page; `forward`, nothing
    /// unless set.
    public var forward: BrowserForwarding
    /// The SDK of Ping that the calls of journeys name; `requestedWith`, `ping-sdk` unless set.
    public var requestedWith: RequestedWith
    /// The platform that the calls name; `platform`, that of the SDK unless set.
    public var platform: String?
    /// The members of a failure's `detail` that browsers get; `expose`, none unless set.
    public var exposed: [String] = []
    /// The journeys that a start may name; the first is the default.
    public var journeys: [String]
    /// The languages that are requested; `languages`, the browser's unless set.
    public var languages = LanguagePreference()
    /// Header fields that are sent with the calls of journeys; `headers`, none unless set.
    public var headers: [HTTPField] = []

    /// Makes the settings of the journeys of a realm.
    public init(
        serverURL: WebURL, realm: String, cookieName: String? = nil, balancerCookies: [String] = [],
        sessionUpgrade: SessionUpgrade = .header, forward: BrowserForwarding = BrowserForwarding(),
        requestedWith: RequestedWith = .pingSDK, journeys: [String]
    ) {
        self.serverURL = serverURL
        self.realm = realm
        self.cookieName = cookieName
        self.balancerCookies = balancerCookies
        self.sessionUpgrade = sessionUpgrade
        self.forward = forward
        self.requestedWith = requestedWith
        self.journeys = journeys
    }
}
