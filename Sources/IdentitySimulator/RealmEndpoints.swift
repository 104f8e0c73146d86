internal import HTTPServer

/// What a realm answers below `/am`, in the ways of one product.
protocol RealmEndpoints: Sendable {
    /// The issuer, in the spelling that discovery gives under the address with the realm in full.
    func issuer(_ base: String) -> String
    /// Below `json`: journeys, sessions, facts about the server.
    func json(_ call: SimulatedCall, _ realm: SimulatedRealm) -> ServerResponse
    /// Answers what lies below `oauth2`.
    func oauth(_ call: SimulatedCall, _ realm: SimulatedRealm) -> ServerResponse
}
