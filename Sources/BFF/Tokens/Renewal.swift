/// What it takes to renew the tokens of an instance.
struct Renewal: Sendable {
    let call: InstanceCall
    /// Renews the tokens of this revision even when they are good; nil to renew what is due.
    let seen: UInt64?

    /// Where the tokens are.
    var field: String { call.tokenField }
    /// Where the user record is.
    var userField: String { call.userField }
}

/// Why a renewal left no tokens; the raw value is the reason in the audit.
enum RenewalEnd: String {
    /// The provider takes neither the refresh token nor the session in its place.
    case grant = "grant-ended"
    /// The provider session is gone too.
    case session = "session-ended"
    /// The renewed tokens do not meet what the client demands.
    case unmet = "requirement-not-met"
}
