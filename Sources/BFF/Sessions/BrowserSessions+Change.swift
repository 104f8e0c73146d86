import Basics
import StorageKit

/// What a change of cookie comes to: final once the browser has come with the new one, or as if it had never been.
extension BrowserSessions {
    /// Makes a change final, and ends at the provider what it took the place of.
    ///
    /// Nothing happens when somebody else was faster, with this or with undoing it.
    ///
    /// - Throws: `.storeUnavailable`; then nobody may act with the new ticket yet.
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

    /// Undoes a change whose new ticket nobody came with.
    ///
    /// The session is what it was, and the ticket that was replaced acts again. What the change brought is ended at the
    /// provider.
    ///
    /// Nothing happens when somebody else was faster, with this or with making it final.
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
            // A browser that has its cookie all the same can still sign out with it, until somebody signs in.
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

    /// Writes a decision about a change, and has ended, after the answer, what it makes useless.
    ///
    /// That is in the queue before the decision is written, as for a logout: a process that dies in between leaves
    /// something revoked that should be, and never tokens that nobody remembers.
    ///
    /// - Returns: Whether this call decided.
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
            // Whoever ended the session does not know of what a change took with it whose commit had no answer.
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
        // Nobody knows whether it is decided: what is written down stays, because the next request decides the same.
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
