import Basics
import StorageKit

/// Confirms a cookie rotation once the browser has sent the new cookie, or reverts it as if it had never happened.
extension BrowserSessions {
    /// Confirms a rotation, and ends at the provider the tokens and provider sessions that it replaced.
    ///
    /// Nothing happens if another request has confirmed or reverted it already.
    ///
    /// - Throws: `.storeUnavailable`; then the new ticket may not act yet.
    func confirm(_ session: OpenedSession, _ id: String, _ context: CallContext) async throws(BFFError) {
        let foreseen = session.change(id)?.revocable ?? []
        try await decide(foreseen: foreseen, session, context) { fresh, edit throws(EditError) in
            guard fresh.claims.change?.id == id, var change = fresh.change(id), !change.isFinal else { return nil }
            let now = self.environment.now()
            let revocable = change.revocable
            change.isFinal = true
            change.revocable = []
            if now < change.readsUntil {
                try edit.put(ChangeRecord.field(id), change.encoded, expires: change.readsUntil)
            } else {
                edit.delete(ChangeRecord.field(id))
            }
            if now < change.replaysUntil, let former = fresh.snapshot[change.formerTicket] {
                edit.setRaw(change.formerTicket, former.value, expires: change.replaysUntil)
            } else {
                edit.delete(change.formerTicket)
            }
            var claims = fresh.claims
            claims.change = nil
            edit.setRaw(
                fresh.credential.ticketField,
                try self.records.tickets.seal(claims, fresh.seal.dataKey, fresh.credential))
            return revocable
        }
    }

    /// Reverts a rotation whose new ticket never arrived.
    ///
    /// The session is as it was before, and the replaced ticket acts again. The tokens and provider sessions that the
    /// rotation brought are ended at the provider.
    ///
    /// Nothing happens if another request has confirmed or reverted it already.
    ///
    /// - Throws: `.storeUnavailable`.
    func revertChange(_ session: OpenedSession, _ id: String, _ context: CallContext) async throws(BFFError) {
        let before: OpenedSession
        do {
            before = try await records.reopen(session)
        } catch .signedOut {
            return
        }
        let foreseen = before.change(id).flatMap { change in before.meta.map { change.brought($0, in: before) } } ?? []
        let isDone = try await decide(foreseen: foreseen, session, context) { fresh, edit throws(EditError) in
            // rule: a confirmed change is not taken back
            guard fresh.claims.change?.id == id, let change = fresh.change(id), !change.isFinal,
                let current = fresh.meta, let former = change.formerMeta(in: fresh)
            else { return nil }
            let brought = change.brought(current, in: fresh)
            for record in change.former {
                if let sealed = record.sealed {
                    edit.setRaw(record.field, sealed)
                } else {
                    edit.delete(record.field)
                }
            }
            let now = self.environment.now()
            let meta = change.restored(current, former)
            try edit.put(MetaRecord.field, meta.encoded)
            for flow in change.flows { edit.delete(FlowRecord.field(flow)) }
            edit.delete(ChangeRecord.field(id))
            edit.deleteUndone()
            // A browser that did receive the new cookie can still sign out with it, until a user signs in.
            if let ticket = fresh.snapshot[change.newTicket] {
                edit.setRaw(SessionCredential.undoneField(ofTicket: change.newTicket), ticket.value)
            }
            // rule: a ticket of an undone change goes
            edit.delete(change.newTicket)
            var claims = fresh.claims
            claims.status = .current
            claims.change = nil
            edit.setRaw(
                fresh.credential.ticketField,
                try self.records.tickets.seal(claims, fresh.seal.dataKey, fresh.credential))
            if !meta.isSignedIn {
                let flows = meta.flows.map(\.ends).max() ?? now
                edit.expires = min(max(now + self.environment.settings.anonymous, flows), meta.absoluteEnd)
            }
            return brought
        }
        // rule: a sign-in that was taken back is audited
        if isDone { environment.audit.write(.signIn(.undone), context, AuditFacts(session.key, nil)) }
    }

    /// Writes the decision about a rotation, and revokes in the background the tokens and provider sessions that it
    /// makes useless.
    ///
    /// They are in the revocation queue before the decision is written, as for a logout. If the process dies in
    /// between, only tokens that are due anyway are revoked, and no tokens remain that no record names.
    ///
    /// - Returns: True if this call made the decision.
    @discardableResult
    private func decide(
        foreseen: [Revocable], _ session: OpenedSession, _ context: CallContext,
        _ body: (OpenedSession, inout SessionEdit) throws(EditError) -> [Revocable]?
    ) async throws(BFFError) -> Bool {
        let written = try await revocations.writeDown(foreseen)
        let edited: EditOutcome<[Revocable]?>
        do throws(BFFError) {
            edited = try await records.tryEdit(session, body)
        } catch .signedOut {
            // The logout that ended the session does not know of the tokens that a rotation replaced if the rotation's
            // commit had no response.
            if try await records.isGone(session.key) {
                revocations.carryOutAfterwards(written, context)
            } else {
                await revocations.forget(written.jobs)
            }
            return false
        } catch {
            await revocations.forget(written.jobs)
            throw error
        }
        // The outcome of the commit is unknown: the queued revocations stay, because the next request makes the same
        // decision.
        guard case .done(let decided, _) = edited else { throw BFFError(StoreError.unavailable) }
        guard let found = decided else {
            await revocations.forget(written.jobs)
            return false
        }
        revocations.carryOutAfterwards(written, context)
        await revocations.revokeAfterwards(found.filter { !foreseen.contains($0) }, context)
        return true
    }
}
