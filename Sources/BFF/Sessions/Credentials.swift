import Basics
import StorageKit

/// New credentials: made at the first flow, and again at every sign-in and step-up.
extension Backend {
    /// The first records of a session for a browser that has none; the caller adds the table of contents.
    func newSession(isSignedIn: Bool) throws(EditError) -> (SessionEdit, SessionCredential, MetaRecord) {
        let now = time.now()
        let credential = SessionCredential.generate()
        let dataKey = DataKey.generate()
        let meta = MetaRecord(created: now, absoluteEnd: now + settings.absolute, epoch: isSignedIn ? 1 : 0)
        var edit = SessionEdit(creating: credential.sessionKey, dataKey)
        let claims = TicketClaims(
            standing: .current, epoch: meta.epoch, isSignedIn: isSignedIn, absoluteEnd: meta.absoluteEnd)
        edit.setRaw(credential.ticketField, try ticket(claims, dataKey, credential))
        if !isSignedIn { edit.setRaw(AnonymousSessions.marker, [1]) }
        edit.expires = min(now + (isSignedIn ? settings.idle : settings.anonymous), meta.absoluteEnd)
        return (edit, credential, meta)
    }

    /// Replaces the credential of a session (design/sessions.md 5).
    ///
    /// Where nothing was signed in the old one dies at once; before a step-up it still reads for 10 s. Either only
    /// collects, for 30 s, the answer of the request that replaced it.
    func rotate(
        _ session: OpenedSession, wasSignedIn: Bool, _ meta: MetaRecord, _ edit: inout SessionEdit
    ) throws(EditError) -> SessionCredential {
        let now = time.now()
        var old = session.claims
        old.replayOnlyFrom = wasSignedIn ? now + settings.supersededTicket : now
        old.standing = .superseded
        edit.setRaw(
            session.credential.ticketField, try ticket(old, session.dataKey, session.credential),
            expires: now + settings.replayTicket)
        let credential = session.credential.withNewSecret()
        let claims = TicketClaims(
            standing: .current, epoch: meta.epoch, isSignedIn: true, absoluteEnd: meta.absoluteEnd)
        edit.setRaw(credential.ticketField, try ticket(claims, session.dataKey, credential))
        return credential
    }

    func ticket(
        _ claims: TicketClaims, _ dataKey: DataKey, _ credential: SessionCredential
    ) throws(EditError) -> [UInt8] {
        do {
            return try tickets.seal(SessionTicket(dataKey: dataKey, claims: claims.encoded), for: credential)
        } catch {
            throw .store(.unavailable)
        }
    }
}

extension SessionEdit {
    /// Writes a record in the words of an edit.
    mutating func put(_ field: String, _ plain: [UInt8], expires: Timestamp? = nil) throws(EditError) {
        do {
            try set(field, plain, expires: expires)
        } catch {
            throw .store(error)
        }
    }
}
