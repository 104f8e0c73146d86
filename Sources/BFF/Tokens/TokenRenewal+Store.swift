import Basics
import OpenIDConnect
import StorageKit

extension TokenRenewal {
    /// Writes renewed tokens in the place of the ones they were made from; tokens that found their place empty or taken
    /// by another sign-in, as after a logout meanwhile, are revoked.
    func store(
        _ renewed: TokenSet, replacing old: TokenSet, _ session: OpenedSession, _ work: Renewal
    ) async throws(BFFError) {
        let client = work.call.client
        let facts = session.record(work.call.sessionField).map(client.flows.sessionFacts)
        let signedInAt = session.meta?.tokens.first { $0.field == work.field }?.signedInAt
        do {
            try await records.edit(session) { fresh, edit throws(EditError) in
                guard let current = fresh.tokens(work.field), let known = fresh.user(work.userField),
                    var meta = fresh.meta, let index = meta.tokens.firstIndex(where: { $0.field == work.field })
                else { throw .refused(.signedOut) }
                guard current == old else {
                    // Another renewal of the same sign-in came first. Its grant may be this one's, so nothing is revoked.
                    if meta.tokens[index].signedInAt == signedInAt { return }
                    throw .refused(.signedOut)
                }
                let user = UserFacts(renewed, claims: known.userFacts?.claims, session: facts)
                var record = UserRecord(renewed, user, client, at: self.environment.now())
                record.show(user, by: self.environment.renderer)
                record.epoch = known.epoch
                record.limitEnd = known.limitEnd
                record.hasClaims = known.hasClaims
                record.claimsFrom = known.claimsFrom
                meta.tokens[index].accessEnd = renewed.expiresAt
                try edit.put(work.field, renewed.encoded)
                try edit.put(work.userField, record.encoded)
                try edit.put(MetaRecord.field, meta.encoded)
            }
        } catch {
            await revocations.revokeAfterwards([.tokens(renewed.encoded, client.name)], work.call.context)
            throw error
        }
    }
}
