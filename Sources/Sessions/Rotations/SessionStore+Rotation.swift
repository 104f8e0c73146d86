import Basics
package import StorageKit

/// The edits that decide about a cookie rotation.
extension SessionStore {
    /// Confirms a rotation.
    ///
    /// - Parameters:
    ///   - id: The id of the rotation.
    ///   - fresh: The session, opened with the new ticket and read as a whole.
    ///   - edit: The edit of the session.
    /// - Returns: The tokens and provider sessions that the rotation replaced, to be ended at the provider; nil, and
    ///   no edit, if another request has confirmed or reverted it already.
    /// - Throws: `.unavailable` if a record cannot be sealed.
    package func confirm(
        _ id: String, _ fresh: OpenedSession, _ edit: inout SessionEdit
    ) throws(StoreError) -> [Revocable]? {
        guard fresh.claims.rotation?.id == id, var rotation = fresh.rotation(id), !rotation.isFinal else { return nil }
        let now = time.now()
        let revocable = rotation.revocable
        rotation.isFinal = true
        rotation.revocable = []
        if now < rotation.readsUntil {
            try edit.set(RotationRecord.field(id), rotation.encoded, expires: rotation.readsUntil)
        } else {
            edit.delete(RotationRecord.field(id))
        }
        if now < rotation.replaysUntil, let former = fresh.snapshot[rotation.formerTicket] {
            edit.setRaw(rotation.formerTicket, former.value, expires: rotation.replaysUntil)
        } else {
            edit.delete(rotation.formerTicket)
        }
        var claims = fresh.claims
        claims.rotation = nil
        edit.setRaw(
            fresh.credential.ticketField,
            try tickets.seal(claims, fresh.seal.dataKey, fresh.credential))
        return revocable
    }

    /// Reverts a rotation: the session is as it was before, and the replaced ticket acts again.
    ///
    /// - Parameters:
    ///   - id: The id of the rotation.
    ///   - fresh: The session, opened with the replaced ticket and read as a whole.
    ///   - edit: The edit of the session.
    /// - Returns: The tokens and provider sessions that are to be ended at the provider, see
    ///   `RotationRecord.revertedAway`; nil, and no edit, if another request has confirmed or reverted it already.
    /// - Throws: `.unavailable` if a record cannot be sealed.
    package func revert(
        _ id: String, _ fresh: OpenedSession, _ edit: inout SessionEdit
    ) throws(StoreError) -> [Revocable]? {
        // rule: a confirmed change is not taken back
        guard fresh.claims.rotation?.id == id, let rotation = fresh.rotation(id), !rotation.isFinal,
            let current = fresh.meta, let former = rotation.formerMeta(id, in: fresh)
        else { return nil }
        let ending = rotation.revertedAway(current, in: fresh)
        for record in rotation.former {
            if let sealed = record.sealed {
                edit.setRaw(record.field, sealed)
            } else {
                edit.delete(record.field)
            }
        }
        let now = time.now()
        let meta = rotation.restored(current, former)
        edit.delete(RotationRecord.field(id))
        try edit.set(MetaRecord.field, meta.encoded)
        for flow in rotation.flows { edit.delete(MetaRecord.FlowEntry.field(flow)) }
        edit.deleteUndone()
        // A browser that did receive the new cookie can still sign out with it, until a user signs in.
        if let ticket = fresh.snapshot[rotation.newTicket] {
            edit.setRaw(SessionCredential.undoneField(ofTicket: rotation.newTicket), ticket.value)
        }
        // rule: a ticket of an undone rotation goes
        edit.delete(rotation.newTicket)
        var claims = fresh.claims
        claims.status = .current
        claims.rotation = nil
        edit.setRaw(
            fresh.credential.ticketField,
            try tickets.seal(claims, fresh.seal.dataKey, fresh.credential))
        if !meta.isSignedIn {
            let flows = meta.flows.map(\.ends).max() ?? now
            edit.expires = min(max(now + times.anonymous, flows), meta.absoluteEnd)
        }
        return ending
    }
}
