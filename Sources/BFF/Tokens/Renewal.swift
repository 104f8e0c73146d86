/// The parameters of a renewal of an instance's tokens.
struct Renewal: Sendable {
    let call: InstanceCall
    /// The revision whose tokens are renewed even when they are valid; nil to renew only when due.
    let seen: UInt64?

    /// The field of the tokens.
    var field: String { call.tokenField }
    /// The field of the user record.
    var userField: String { call.userField }
}

/// The reason why a renewal left no tokens; the raw value is the reason in the audit.
enum RenewalEnd: String {
    /// The provider accepts neither the refresh token nor the session in its place.
    case grant = "grant-ended"
    /// The provider session has ended too.
    case session = "session-ended"
    /// The renewed tokens do not meet what the client demands.
    case unmet = "requirement-not-met"
    /// The provider says with the renewed tokens that the client's session is over.
    case expiry = "session-expiry"
    /// The user's sign-ins were ended without their cookies.
    case ended = "user-ended"
}
