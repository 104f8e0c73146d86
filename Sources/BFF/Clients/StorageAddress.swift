/// The address of one record of a browser session: client kind, purpose, storage name and account, never client or
/// instance.
///
/// Instances that name the same storage share it; a step-up, for example, shares the session that it makes stronger.
struct StorageAddress: Hashable, Sendable {
    enum Purpose: String, Sendable {
        case session
        case token
        case user
    }

    let kind: ClientKind
    let purpose: Purpose
    let name: String
    let account: String

    /// The field in the session's hash; the account comes last and has no slash, so that no two addresses share a
    /// field.
    var field: String { "\(purpose.rawValue)/\(kind.rawValue)/\(name)/\(account)" }
}

/// The products that a client may belong to.
package enum ClientKind: String, Sendable, CaseIterable {
    /// A PingAM or PingOne Advanced Identity Cloud journey.
    case journey
    /// A PingOne DaVinci flow.
    case davinci
    /// A redirect to an OpenID provider.
    case oidc
}
