import Basics
import Sessions
import StorageKit

/// The records that a logout ends.
struct LogoutScope: Sendable {
    var tokens: [MetaRecord.TokenEntry]
    var sessions: [MetaRecord.SessionEntry]
    var flows: [MetaRecord.FlowEntry]
    /// The token storage that gets no silent sign-in from now on, although the provider session stays; nil for none.
    var staysOut: String?

    /// The tokens and sessions to end at the provider.
    func revocable(in session: OpenedSession) -> [Revocable] {
        tokens.compactMap { entry in session.record(entry.field).map { .tokens($0, entry.client) } }
            + sessions.compactMap { entry in session.record(entry.field).map { .session($0, entry.client) } }
    }

    /// The users who are signed out, once for each instance; a provider session without tokens counts as an instance of
    /// its own.
    var signIns: [(InstanceName, AuditFacts.Person)] {
        tokens.map { (InstanceName(client: $0.client, account: $0.account), $0.person) }
            + sessions.filter { session in !tokens.contains { $0.sessionField == session.field } }.map {
                (InstanceName(client: $0.client, account: $0.account), $0.person)
            }
    }

    /// The fields of the records that are deleted.
    var fields: [String] {
        tokens.flatMap { [$0.field, $0.userField] }
            + sessions.flatMap { [$0.field, ProofRecord.field(besides: $0.field)] }
    }

    /// The session's table of contents without the records that are deleted.
    func rest(of meta: MetaRecord) -> MetaRecord {
        var rest = meta
        rest.tokens.removeAll { tokens.contains($0) }
        rest.sessions.removeAll { sessions.contains($0) }
        rest.flows.removeAll { flows.contains($0) }
        return rest
    }

    /// Deletes the records in an edit of the session.
    func apply(to edit: inout SessionEdit) {
        for field in fields { edit.delete(field) }
        if let staysOut { edit.leave(SilentSignIns.mark(besides: staysOut)) }
        for entry in flows { edit.delete(FlowRecord.field(entry.id)) }
    }
}
