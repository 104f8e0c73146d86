public import Basics
public import ResourceServer

/// What a proxied call needs of the browser's tokens (docs/step-up.md, 'Configuration').
public struct RouteDefinition: Sendable, Equatable {
    /// What a route demands.
    public enum Demand: Sendable, Equatable {
        /// No token.
        case none
        /// A valid token of one of the clients.
        case signedIn
        /// A token that meets the named requirement.
        case requirement(String)
    }

    /// Tells routes apart in the loop guard: the path pattern of the configuration.
    public var id: String
    /// The clients whose tokens may be used, in order of preference.
    public var clients: [String]
    /// What is demanded.
    public var demand: Demand
    /// Whether a call counts as use of the session.
    public var slides: Bool

    /// A route.
    public init(id: String, clients: [String], demand: Demand, slides: Bool = true) {
        self.id = id
        self.clients = clients
        self.demand = demand
        self.slides = slides
    }
}

/// A call to a route, as the loop guard tells calls apart.
struct RouteCall: Sendable {
    /// `RouteDefinition.id`.
    let route: String
    /// The account; empty for the default one.
    let account: String
    /// Method and path, of a call that the API refused; nil for one that was not made.
    let target: String?
}

/// The token that a proxied call goes out with.
public struct RouteToken: Sendable {
    /// Whose it is.
    public let instance: InstanceName
    /// The access token.
    public let accessToken: Secret<String>
    /// What it says, once for each class that its refreshes named; a requirement has to be met by each.
    public let facts: [TokenFacts]
    /// The revision of its record, for one renewal after the upstream refused it.
    public let revision: UInt64
    /// Whether step-ups were counted for the route: then `Backend.passed` is told when the API takes the call.
    public internal(set) var hasRounds = false
    /// The transaction that was authorised for a call to the route; its id goes out with that call.
    public internal(set) var transaction: AuthorizedTransaction?
}

/// How a browser gets a stronger token: what the problem document says as `stepUp`.
public struct StepUpOffer: Sendable, Equatable {
    /// The instance to start.
    public let instance: String
    /// The path of that start below the API's base path, `/transaction/start`.
    public var start: String { "/\(instance)/start" }
    /// What `start` is given as `for`: a requirement's name or a `c_…` id.
    public let goal: String
    /// The requirement; nil when a foreign API asked.
    public let requirement: Requirement?
}
