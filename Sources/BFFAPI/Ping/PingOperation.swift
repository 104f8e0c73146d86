internal import HTTPCore

/// The operations of the endpoints that speak the protocols of Ping's clients for JavaScript.
enum PingOperation: Sendable, Equatable, CaseIterable {
    /// Sends the discovery document.
    case metadata
    /// Begins or continues a journey.
    case authenticate
    /// Ends the provider session of a journey client.
    case endProviderSession
    /// Gives a code or a placeholder of an ID token, or begins a DaVinci flow.
    case authorize
    /// Answers a node of a DaVinci flow.
    case next
    /// Continues a DaVinci flow whose user was at another identity provider.
    case `continue`
    /// Tells whether a challenge of a DaVinci flow is complete.
    case challenge
    /// Exchanges a code for placeholders.
    case exchange
    /// Returns the claims of the user.
    case userInfo
    /// Revokes tokens by their placeholder.
    case revoke
    /// Signs the instance out.
    case endSession

    /// The methods of the operation, which are none of other operations at its path.
    var methods: [HTTPMethod] {
        switch self {
        case .metadata, .userInfo, .endSession: [.get]
        case .authorize: [.get, .post]
        case .authenticate, .endProviderSession, .next, .continue, .challenge, .exchange, .revoke: [.post]
        }
    }

    /// The form of the operation's problems.
    var form: ProblemForm {
        switch self {
        case .authenticate, .endProviderSession: .journey
        case .authorize, .next, .continue, .challenge: .pingOne()
        case .metadata, .exchange, .userInfo, .revoke, .endSession: .oauth()
        }
    }
}
