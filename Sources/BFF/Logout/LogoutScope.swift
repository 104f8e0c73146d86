import Basics
import StorageKit

/// What a logout ends.
struct LogoutScope: Sendable {
    var tokens: [MetaRecord.TokenEntry]
    var sessions: [MetaRecord.SessionEntry]
    var flows: [MetaRecord.FlowEntry]
    /// The token storage that gets nothing without a sign-in from now on, although the provider session stays; nil for
    /// none.
    var staysOut: String?

    /// Its counterparts at the provider.
    func revocable(in session: OpenedSession) -> [Revocable] {
        tokens.compactMap { entry in session.record(entry.field).map { .tokens($0, entry.client) } }
            + sessions.compactMap { entry in session.record(entry.field).map { .session($0, entry.client) } }
    }

    /// Whose it is, once for each instance; a provider session under which nobody has tokens stands for itself.
    var signIns: [(InstanceName, AuditFacts.Person)] {
        tokens.map { (InstanceName(client: $0.client, account: $0.account), $0.person) }
            + sessions.filter { session in !tokens.contains { $0.sessionField == session.field } }.map {
                (InstanceName(client: $0.client, account: $0.account), $0.person)
            }
    }

    /// The records that go.
    var fields: [String] {
        tokens.flatMap { [$0.field, $0.userField] }
            + sessions.flatMap { [$0.field, ProofRecord.field(besides: $0.field)] }
    }

    /// What the table of contents says without it.
    func rest(of meta: MetaRecord) -> MetaRecord {
        var rest = meta
        rest.tokens.removeAll { tokens.contains($0) }
        rest.sessions.removeAll { sessions.contains($0) }
        rest.flows.removeAll { flows.contains($0) }
        return rest
    }

    /// Takes the records out of a session.
    func apply(to edit: inout SessionEdit) {
        for field in fields { edit.delete(field) }
        if let staysOut { edit.leave(SilentSignIns.mark(besides: staysOut)) }
        for entry in flows { edit.delete(FlowRecord.field(entry.id)) }
    }
}
