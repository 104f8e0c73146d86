import OpenIDConnect
import StorageKit

/// What an audit line says beside its event: whom it is about, and why.
struct AuditFacts: Sendable {
    /// A user by what the provider calls them; written as a keyed hash alone.
    struct Person: Sendable, Hashable {
        let issuer: String
        let subject: String
    }

    /// The browser session; nil where there is none.
    var session: SessionKey?
    /// The client, and the account, which is written as a keyed hash alone.
    var instance: InstanceName?
    /// The user, where one is known.
    var person: Person?
    /// The flow that it is about, never by its id; nil where there is none.
    var flow: FlowDigest?
    /// The name that was typed for a user; written as a keyed hash alone.
    var name: String?
    /// Why, of a closed set.
    var reason: String?
    /// Further members: names of the configuration, never anything of a user.
    var more: [String: String] = [:]

    /// Facts of an event.
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
    /// Whose they are.
    var person: AuditFacts.Person { AuditFacts.Person(issuer: issuer, subject: subject) }
}

extension MetaRecord.TokenEntry {
    /// Whose they are.
    var person: AuditFacts.Person { AuditFacts.Person(issuer: issuer, subject: subject) }
}

extension MetaRecord.SessionEntry {
    /// Whose it is.
    var person: AuditFacts.Person { AuditFacts.Person(issuer: issuer, subject: subject) }
}
