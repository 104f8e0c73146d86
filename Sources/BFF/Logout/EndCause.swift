/// Why records of a session end, as the audit tells it.
enum EndCause: Sendable {
    /// The browser had tokens revoked.
    case revocation
    /// The browser signed out.
    case logout
    /// A limit of the client is over, the one of idleness or the absolute one.
    case limit(EndReason)
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

    /// What the browser is told when it comes later.
    var endReason: EndReason { if case .limit(let reason) = self { reason } else { .ended } }

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
