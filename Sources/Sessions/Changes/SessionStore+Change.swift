import Basics
package import StorageKit

/// The edits that decide about a cookie rotation.
extension SessionStore {
    /// Confirms a rotation.
    ///
    /// - Parameters:
    ///   - id: The id of the change.
    ///   - fresh: The session, opened with the new ticket and read as a whole.
    ///   - edit: The edit of the session.
    /// - Returns: The tokens and provider sessions that the rotation replaced, to be ended at the provider; nil, and
    ///   no edit, if another request has confirmed or reverted it already.
    /// - Throws: `.unavailable` if a record cannot be sealed.
    package func confirm(
        _ id: String, _ fresh: OpenedSession, _ edit: inout SessionEdit
    ) throws(StoreError) -> [Revocable]? {
        guard fresh.claims.change?.id == id, var change = fresh.change(id), !change.isFinal else { return nil }
        let now = time.now()
        let revocable = change.revocable
        change.isFinal = true
        change.revocable = []
        if now < change.readsUntil {
            try edit.set(ChangeRecord.field(id), change.encoded, expires: change.readsUntil)
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
            try tickets.seal(claims, fresh.seal.dataKey, fresh.credential))
        return revocable
    }

    /// Reverts a rotation: the session is as it was before, and the replaced ticket acts again.
    ///
    /// - Parameters:
    ///   - id: The id of the change.
    ///   - fresh: The session, opened with the replaced ticket and read as a whole.
    ///   - edit: The edit of the session.
    /// - Returns: The tokens and provider sessions that the rotation brought, to be ended at the provider; nil, and no
    ///   edit, if another request has confirmed or reverted it already.
    /// - Throws: `.unavailable` if a record cannot be sealed.
    package func revert(
        _ id: String, _ fresh: OpenedSession, _ edit: inout SessionEdit
    ) throws(StoreError) -> [Revocable]? {
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
        let now = time.now()
        let meta = change.restored(current, former)
        try edit.set(MetaRecord.field, meta.encoded)
        for flow in change.flows { edit.delete(MetaRecord.FlowEntry.field(flow)) }
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
            try tickets.seal(claims, fresh.seal.dataKey, fresh.credential))
        if !meta.isSignedIn {
            let flows = meta.flows.map(\.ends).max() ?? now
            edit.expires = min(max(now + times.anonymous, flows), meta.absoluteEnd)
        }
        return brought
    }
}
