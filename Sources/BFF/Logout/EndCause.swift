/// Why records of a session end, as the audit tells it.
enum EndCause: Sendable {
    /// The browser had tokens revoked.
    case revocation
    /// The browser signed out.
    case logout
    /// A limit of the client is over.
    case limit
    /// The provider session turned out to be another user's than its tokens.
    case otherUser
    /// The provider has ended its session.
    case session

    /// The event, with what became of it at the provider.
    func event(_ outcome: RevocationOutcome) -> AuditEvent {
        switch self {
        case .revocation: .revoke(outcome)
        case .logout: .logout(outcome)
        case .limit, .otherUser, .session: .end(outcome)
        }
    }

    /// The rule, where it was one of ours.
    var reason: String? {
        switch self {
        case .revocation, .logout: nil
        case .limit: "limit"
        case .otherUser: "account-mismatch"
        case .session: "session-ended"
        }
    }
}
