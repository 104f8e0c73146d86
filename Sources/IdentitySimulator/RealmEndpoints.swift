internal import HTTPServer

/// The endpoints of a realm below `/am`, as one product implements them.
protocol RealmEndpoints: Sendable {
    /// The issuer, in the spelling that discovery has at the address with the full realm path.
    func issuer(_ base: String) -> String
    /// Answers requests below `json`: journeys, sessions, facts about the server.
    func json(_ call: SimulatedCall, _ realm: SimulatedRealm) -> ServerResponse
    /// Answers requests below `oauth2`.
    func oauth(_ call: SimulatedCall, _ realm: SimulatedRealm) -> ServerResponse
}
