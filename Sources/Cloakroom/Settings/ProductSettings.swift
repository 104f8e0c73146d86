public import DaVinciClient
public import HTTPCore
public import JourneyClient
public import OpenIDConnect
public import Orchestrate

/// The product of a client, and what only that product needs; `clients.*.type`.
public enum ProductSettings: Sendable, Equatable {
    /// Journeys of PingAM or PingOne Advanced Identity Cloud.
    case journey(JourneySettings)
    /// Flows of PingOne DaVinci.
    case davinci(DaVinciSettings)

    var isJourney: Bool { if case .journey = self { true } else { false } }
}

/// What a client of DaVinci flows needs; the provider is that of its registration.
public struct DaVinciSettings: Sendable, Equatable {
    /// Which platform the calls say they run on; `platform`, `javascript` unless set.
    public var platform = "javascript"
    /// Which languages are asked for; `languages`, the browser's unless set.
    public var languages = LanguagePreference()
    /// How a flow is begun; `start`, by GET unless set.
    public var startsBy = Authorization.Method.get
    /// In which form a chosen device goes back; `deviceValue`, `web` unless set.
    public var deviceValue = DeviceValue.web
    /// The cookies that are kept with the session; `persistCookies`, `ST` and `ST-NO-SS` unless set.
    public var persistCookies = ["ST", "ST-NO-SS"]

    /// Everything as it is unless set.
    public init() {}
}

/// What a client of journeys needs.
public struct JourneySettings: Sendable, Equatable {
    /// AM's address with its deployment path, `https://tenant.example.com/am`.
    public var serverURL: WebURL
    /// The realm of AM, `alpha` or `/customers/uk`.
    public var realm: String
    /// The name of AM's session cookie; nil to read it from serverinfo.
    public var cookieName: String?
    /// Cookies of load balancers that are kept with the session, besides `amlbcookie`.
    public var balancerCookies: [String]
    /// How a session that is to be upgraded reaches AM; `sessionUpgrade`, `header` unless set.
    public var sessionUpgrade: SessionUpgrade
    /// What AM is told of the browser besides its languages and the origin of its page; `forward`, nothing unless set.
    public var forward: BrowserForwarding
    /// Which of Ping's SDKs a journey's calls say they come from; `requestedWith`, `ping-sdk` unless set.
    public var requestedWith: RequestedWith
    /// Which platform they say they run on; `platform`, that of the SDK unless set.
    public var platform: String?
    /// The members of a failure's `detail` that browsers get; `expose`, none unless set.
    public var exposed: [String] = []
    /// The journeys that a start may name; the first is the default.
    public var journeys: [String]
    /// Lets a start run a backchannel transaction; `transactions`, false unless set.
    public var transactions = false
    /// Which languages are asked for; `languages`, the browser's unless set.
    public var languages = LanguagePreference()
    /// Header fields that go with the calls of journeys; `headers`, none unless set.
    public var headers: [HTTPField] = []

    /// The journeys of a realm.
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
