import OpenIDConnect
import Sessions
import StorageKit

/// The facts of an audit line besides its event: the user, the session and the reason.
struct AuditFacts: Sendable {
    /// A user by the provider's issuer and subject; written only as a keyed hash.
    struct Person: Sendable, Hashable {
        let issuer: String
        let subject: String
    }

    /// The browser session; nil where there is none.
    var session: SessionKey?
    /// The client and the account; the account is written only as a keyed hash.
    var instance: InstanceName?
    /// The user; nil where none is known.
    var person: Person?
    /// The flow of the event, as a digest and never by its id; nil where there is none.
    var flow: FlowDigest?
    /// The user name that was typed; written only as a keyed hash.
    var name: String?
    /// The reason, of a closed set; nil for none.
    var reason: String?
    /// Further members: names of the configuration, never data of a user.
    var more: [String: String] = [:]

    /// Makes the facts of an event.
    init(
        _ session: SessionKey?, _ instance: InstanceName?, _ person: Person? = nil, reason: String? = nil,
        more: [String: String] = [:]
    ) {
        self.session = session
        self.instance = instance
        self.person = person
        self.reason = reason
        self.more = more
    }
}

extension TokenSet {
    /// The user of the tokens.
    var person: AuditFacts.Person { AuditFacts.Person(issuer: issuer, subject: subject) }
}

extension MetaRecord.TokenEntry {
    /// The user of the tokens.
    var person: AuditFacts.Person { AuditFacts.Person(issuer: issuer, subject: subject) }
}

extension MetaRecord.SessionEntry {
    /// The user of the provider session.
    var person: AuditFacts.Person { AuditFacts.Person(issuer: issuer, subject: subject) }
}
