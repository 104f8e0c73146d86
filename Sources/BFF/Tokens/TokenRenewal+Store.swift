import Basics
import OpenIDConnect
import Sessions
import StorageKit

extension TokenRenewal {
    /// The result of storing renewed tokens.
    private enum Place {
        case stored
        /// Another renewal of the same sign-in was stored first.
        case renewedBefore
        /// Another sign-in was stored first.
        case taken
        /// Another sign-in or a logout was stored first and may be undone, so the renewed tokens wait beside it; an
        /// error for the caller, if any.
        case waiting(BFFError?)
    }

    /// Writes renewed tokens in the place of the tokens that they were made from.
    ///
    /// Renewed tokens are revoked if their place is empty, as after a logout meanwhile, or taken by another sign-in; in
    /// the latter case the session goes on with the tokens of that sign-in. While the browser has not come with the
    /// cookie of the other sign-in, the renewed tokens are kept, because the browser would go back to them.
    ///
    /// - Returns: True if the renewed tokens are stored.
    /// - Throws: `.signInEnded` when the user was ended without the cookie; `.signedOut` when no tokens are left; `.sessionChanged` when there are other tokens that came with a
    ///   new cookie; `.storeUnavailable`.
    func store(
        _ renewed: TokenSet, replacing old: TokenSet, keeping kept: [UInt8]?, _ session: OpenedSession, _ work: Renewal
    ) async throws(BFFError) -> Bool {
        let (client, context) = (work.call.client, work.call.context)
        var own = renewed
        // A refresh token that the provider lets live on is still needed if the renewal is not stored.
        // rule: a refresh token that lives on is not revoked
        if own.refreshToken == old.refreshToken { own.refreshToken = nil }
        let brought = [Revocable.tokens(own.encoded, client.name)]
        let sessionField = work.call.sessionField
        // As they are stored: a server of a version before may have written them.
        let stored = session.record(work.field) ?? old.encoded
        let before = session.record(sessionField)
        let facts = before.map(client.flows.sessionFacts)
        let signedInAt = session.meta?.tokens.first { $0.field == work.field }?.signedInAt
        let edited: EditOutcome<Place>
        func check(_ fresh: OpenedSession) async throws(EditError) {
            // rule: the tokens of a user who was ended are not renewed
            if await isEnded(renewed, of: old, fresh, work) { throw .refused(.signInEnded) }
        }
        do {
            edited = try await records.tryEdit(session, check: check) { fresh, edit throws(EditError) in
                let isWaiting = try self.keep(renewed, replacing: stored, beside: fresh, &edit, for: work)
                guard let current = fresh.tokens(work.field), let known = fresh.user(work.userField),
                    var meta = fresh.meta, let index = meta.tokens.firstIndex(where: { $0.field == work.field })
                else {
                    if isWaiting { return .waiting(.signedOut) }
                    throw .refused(.signedOut)
                }
                // rule: tokens that others renewed are not written over
                guard current == old else {
                    if meta.tokens[index].signedInAt == signedInAt { return .renewedBefore }
                    let isNewer = known.epoch > fresh.claims.epoch
                    if isWaiting { return .waiting(isNewer ? .sessionChanged : nil) }
                    if isNewer { throw .refused(.sessionChanged) }
                    return .taken
                }
                edit.mark(at: self.environment.now())
                let user = UserFacts(renewed, claims: known.userFacts?.claims, session: facts)
                var record = UserRecord(renewed, user, client, at: self.environment.now())
                record.show(user, by: self.environment.renderer)
                record.epoch = known.epoch
                record.limitEnd = known.limitEnd
                // The provider may shorten or prolong what it gives; the limit of the client that signed in stays.
                // rule: a renewal brings the provider's end of the session
                if renewed.sessionEnd != nil {
                    let entry = meta.tokens[index]
                    let owner = self.environment.clients[entry.client] ?? client
                    record.limitEnd = owner.limitEnd(of: renewed, signedInAt: entry.signedInAt)
                    meta.tokens[index].limitEnd = record.limitEnd
                }
                record.hasClaims = known.hasClaims
                record.claimsFrom = known.claimsFrom
                meta.tokens[index].accessEnd = renewed.expiresAt
                try self.rename(renewed, of: old, in: fresh, &edit, for: work)
                try edit.put(work.field, renewed.encoded)
                try edit.put(work.userField, record.encoded)
                try edit.put(MetaRecord.field, meta.encoded)
                return .stored
            }
        } catch {
            await revocations.revokeInBackground(brought + records.keep(kept, of: before, work.call, session), context)
            throw error
        }
        // The provider may have replaced the cookie of its session, whatever becomes of the tokens.
        await revocations.revokeInBackground(records.keep(kept, of: before, work.call, session), context)
        let place = try revocations.result(
            of: edited, brought: brought, replaced: { _ in [] },
            audited: (.refresh(.done), AuditFacts(session.key, work.call.instance, renewed.person)), context)
        switch place {
        case .stored: return true
        // The other renewal may have the same grant, so nothing is revoked.
        case .renewedBefore, .waiting(nil): return false
        case .waiting(let error?): throw error
        case .taken:
            await revocations.revokeInBackground(brought, context)
            return false
        }
    }

    /// Puts renewed tokens into a change of cookie that is not final and keeps the tokens that they were made from.
    ///
    /// - Returns: True if there is such a change.
    private func keep(
        _ renewed: TokenSet, replacing stored: [UInt8], beside session: OpenedSession, _ edit: inout SessionEdit,
        for work: Renewal
    ) throws(EditError) -> Bool {
        for (id, known) in session.rotations {
            var change = known
            do {
                guard try change.renew(work.field, stored, with: renewed.encoded, in: session) else { continue }
            } catch {
                throw .store(error)
            }
            try edit.put(RotationRecord.field(id), change.encoded)
            edit.mark(at: environment.now())
            return true
        }
        return false
    }
}
