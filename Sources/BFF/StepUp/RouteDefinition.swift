package import Basics
package import ResourceServer

/// What a proxied call needs of the browser's tokens (docs/step-up.md, 'Configuration').
package struct RouteDefinition: Sendable, Equatable {
    /// What a route demands.
    package enum Demand: Sendable, Equatable {
        /// The route is called without a token.
        case none
        /// A valid token of one of the clients.
        case signedIn
        /// A token that meets the named requirement.
        case requirement(String)
    }

    /// Tells routes apart in `StepUpAttempts`: the path pattern of the configuration.
    package var id: String
    /// The clients whose tokens may be used, in order of preference.
    package var clients: [String]
    /// What is demanded.
    package var demand: Demand
    /// Whether a call counts as use of the session.
    package var slides: Bool

    /// Makes the definition of a route.
    package init(id: String, clients: [String], demand: Demand, slides: Bool = true) {
        self.id = id
        self.clients = clients
        self.demand = demand
        self.slides = slides
    }
}

/// A call to a route, as `StepUpAttempts` tells calls apart.
struct RouteCall: Sendable {
    /// `RouteDefinition.id`.
    let route: String
    /// The account; empty for the default one.
    let account: String
    /// Method, path, query and body, of a call that the API refused; nil for one that was not made.
    let target: String?
}

/// The token that a proxied call goes out with.
package struct RouteToken: Sendable {
    /// Whose it is.
    package let instance: InstanceName
    /// The access token.
    package let accessToken: Secret<String>
    /// What it says, once for each class that its refreshes named; a requirement has to be met by each.
    package let facts: [TokenFacts]
    /// The revision of its record, for one renewal after the upstream refused it.
    package let revision: UInt64
    /// Whether step-ups were counted for the route: then `Backend.passed` is told when the API takes the call.
    package internal(set) var hasAttempts = false
    /// The transaction that was authorised for a call to the route; its id goes out with that call.
    package internal(set) var transaction: AuthorizedTransaction?
}

/// How a browser gets a stronger token: what the problem document says as `stepUp`.
package struct StepUpOffer: Sendable, Equatable {
    /// The instance to start.
    package let instance: String
    /// What `start` is given as `for`: a requirement's name or a `c_…` id.
    package let goal: String
    /// The requirement; nil when a foreign API asked.
    package let requirement: Requirement?
}
