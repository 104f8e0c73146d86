import Basics
import OpenIDConnect
import StorageKit

/// What it takes to renew the tokens of an instance.
struct Renewal: Sendable {
    let instance: InstanceName
    let definition: ClientDefinition
    /// Where the tokens are.
    let field: String
    /// Where the user record is.
    let userField: String
    /// Renews the tokens of this revision even when they are good; nil to renew what is due.
    let seen: UInt64?
    let context: CallContext
}

extension Backend {
    /// Writes renewed tokens in the place of the ones they were made from; tokens that found their place empty or taken
    /// by another sign-in, as after a logout meanwhile, are revoked.
    func store(
        _ renewed: TokenSet, replacing old: TokenSet, _ session: OpenedSession, _ work: Renewal
    ) async throws(BFFError) {
        let definition = work.definition
        let facts = session.record(definition.sessionField(work.instance.account)).map(definition.client.sessionFacts)
        let signedInAt = session.meta?.tokens.first { $0.field == work.field }?.signedInAt
        do {
            try await edit(session) { fresh, edit throws(EditError) in
                guard let current = fresh.tokens(work.field), let known = fresh.user(work.userField),
                    var meta = fresh.meta, let index = meta.tokens.firstIndex(where: { $0.field == work.field })
                else { throw .refused(.signedOut) }
                guard current == old else {
                    // Another renewal of the same sign-in came first. Its grant may be this one's, so nothing is revoked.
                    if meta.tokens[index].signedInAt == signedInAt { return }
                    throw .refused(.signedOut)
                }
                var record = self.userRecord(
                    renewed, claims: known.hasClaims ? UserDocument.claims(in: known.head) : nil, facts: facts,
                    definition, epoch: known.epoch, limitEnd: known.limitEnd)
                record.hasClaims = known.hasClaims
                record.claimsFrom = known.claimsFrom
                meta.tokens[index].accessEnd = renewed.expiresAt
                try edit.put(work.field, renewed.encode())
                try edit.put(work.userField, record.encoded)
                try edit.put(MetaRecord.field, meta.encoded)
            }
        } catch {
            await undo([.tokens(renewed.encode(), definition.name)], work.context)
            throw error
        }
    }
}
