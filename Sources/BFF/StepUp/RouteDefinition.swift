package import Basics
package import ResourceServer
package import Sessions

/// A proxied route: the clients whose tokens it uses, and its demand on the token (docs/step-up.md, 'Configuration').
package struct RouteDefinition: Sendable, Equatable {
    /// The demand of a route on the token of a call.
    package enum Demand: Sendable, Equatable {
        /// Calls to the route carry no token.
        case none
        /// A valid token of one of the clients.
        case signedIn
        /// A token that meets the named requirement.
        case requirement(String)
    }

    /// The path pattern of the configuration, by which `StepUpAttempts` tells routes apart.
    package var id: String
    /// The clients whose tokens may be used, in order of preference.
    package var clients: [String]
    /// The demand on the token.
    package var demand: Demand
    /// True if a call counts as use of the session.
    package var extendsIdle: Bool

    /// Makes the definition of a route.
    package init(id: String, clients: [String], demand: Demand, extendsIdle: Bool = true) {
        self.id = id
        self.clients = clients
        self.demand = demand
        self.extendsIdle = extendsIdle
    }
}

/// A call to a route, by the members with which `StepUpAttempts` tells calls apart.
struct RouteCall: Sendable {
    /// `RouteDefinition.id`.
    let route: String
    /// The account; empty for the default one.
    let account: String
    /// Method, path, query and body of a call that the API refused; nil for a call that was not sent.
    let target: String?
}

/// The token that a proxied call carries.
package struct RouteToken: Sendable {
    /// The instance that the token belongs to.
    package let instance: InstanceName
    /// The access token.
    package let accessToken: Secret<String>
    /// The facts of the token, once for each `acr` that its refreshes have named; each of them has to meet a
    /// requirement.
    package let facts: [TokenFacts]
    /// The revision of the token's record, for one renewal after the upstream refused the token.
    package let revision: UInt64
    /// True if step-ups were counted for the route; `Backend.passed` is then called when the API accepts the call.
    package internal(set) var hasAttempts = false
    /// The transaction that was authorised for a call to the route; its id goes out with that call.
    package internal(set) var transaction: AuthorizedTransaction?
}

/// A step-up that the browser may start to get a stronger token: the `stepUp` member of the problem document.
package struct StepUpOffer: Sendable, Equatable {
    /// The instance to start.
    package let instance: String
    /// The value of `for` in the `start` request: a requirement's name or a `c_…` id.
    package let goal: String
    /// The requirement to meet; nil when the provider wants a stronger sign-in and the client has no minimum that it
    /// steps up to itself.
    package let requirement: Requirement?
}
