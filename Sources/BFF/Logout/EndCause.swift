import Sessions

/// The cause of the end of a session's records, as the audit names it.
enum EndCause: Sendable {
    /// The browser had tokens revoked.
    case revocation
    /// The browser signed out.
    case logout
    /// The client's idle timeout or its absolute limit is over.
    case limit(EndReason)
    /// The provider session belongs to another user than its tokens.
    case otherUser
    /// The provider has ended its session.
    case session
    /// An operator or the provider ended the user's sign-ins without the cookie, and a renewal or a silent sign-in
    /// found it.
    case user

    /// The audit event of the cause, with the outcome at the provider.
    func event(_ outcome: RevocationOutcome) -> AuditEvent {
        switch self {
        case .revocation: .revoke(outcome)
        case .logout: .logout(outcome)
        case .limit, .otherUser, .session, .user: .end(outcome)
        }
    }

    /// The reason that the browser is told when it comes later.
    var endReason: EndReason { if case .limit(let reason) = self { reason } else { .ended } }

    /// The audit's reason: the rule of this server that ended the records; nil where the browser ended them.
    var reason: String? {
        switch self {
        case .revocation, .logout: nil
        case .limit: "limit"
        case .otherUser: "account-mismatch"
        case .session: "session-ended"
        case .user: "user-ended"
        }
    }
}
