import Basics
import Cryptography
package import StorageKit

/// Makes tickets and credentials: at the first flow, and again at every sign-in and step-up.
package final class SessionTickets: Sendable {
    private let sealer: TicketSealer
    private let times: SessionTimes
    private let time: any TimeSource
    private let encryptor: (any Encryptor)?
    private let rotations: SeenRotations

    /// Makes the tickets of sessions.
    ///
    /// - Parameters:
    ///   - keys: The keys that wrap tickets, the current one first.
    ///   - times: The life times of sessions and of replaced cookies.
    ///   - time: The clock.
    ///   - encryptor: Seals each record of a session once more; nil for none.
    ///   - rotations: The cookie rotations that this process has seen.
    init(
        _ keys: ServerKeys, times: SessionTimes, time: any TimeSource, encryptor: (any Encryptor)?,
        rotations: SeenRotations
    ) {
        sealer = TicketSealer(keys)
        self.times = times
        self.time = time
        self.encryptor = encryptor
        self.rotations = rotations
    }

    /// Opens a ticket; `isCurrentKey` is true if the newest server key wrapped it.
    func open(
        _ sealed: [UInt8], for credential: SessionCredential
    ) throws -> (seal: SessionSeal, claims: TicketClaims, isCurrentKey: Bool) {
        let (ticket, isCurrentKey) = try sealer.open(sealed, for: credential)
        let seal = SessionSeal(dataKey: ticket.dataKey, outer: encryptor)
        return (seal, try TicketClaims(decoding: ticket.claims), isCurrentKey)
    }

    /// The first records of a session for a browser that has none; the caller adds the table of contents.
    package func newSession(isSignedIn: Bool) throws(StoreError) -> (SessionEdit, SessionCredential, MetaRecord) {
        let now = time.now()
        let credential = SessionCredential.generate()
        let dataKey = DataKey.generate()
        let meta = MetaRecord(created: now, absoluteEnd: now + times.absolute, epoch: isSignedIn ? 1 : 0)
        let seal = SessionSeal(dataKey: dataKey, outer: encryptor)
        var edit = SessionEdit(creating: credential.sessionKey, seal, isSignedIn: isSignedIn)
        let claims = TicketClaims(
            status: .current, epoch: meta.epoch, isSignedIn: isSignedIn, absoluteEnd: meta.absoluteEnd)
        edit.setRaw(credential.ticketField, try self.seal(claims, dataKey, credential))
        if !isSignedIn { edit.leave(AnonymousSessions.marker) }
        edit.absoluteEnd = meta.absoluteEnd
        edit.expires = min(now + (isSignedIn ? times.idle : times.anonymous), meta.absoluteEnd)
        return (edit, credential, meta)
    }

    /// Replaces the credential of a session: a cookie rotation.
    ///
    /// The old credential stays until a request comes with the new one, because the response that carries the cookie
    /// may be lost; `TicketDecision` says what the old one may do until then.
    ///
    /// - Returns: The new credential, the id of the rotation, and its record, to be written with the edit.
    package func rotate(
        _ session: OpenedSession, _ meta: MetaRecord, _ edit: inout SessionEdit
    ) throws(StoreError) -> (SessionCredential, id: String, RotationRecord) {
        let now = time.now()
        let rotation = TicketClaims.Rotation(
            id: SecureRandom.token(12), readsUntil: now + times.supersededTicket,
            replaysUntil: now + times.replayTicket)
        rotations.note(rotation.id, at: now)
        edit.rotation = rotation.id
        var old = session.claims
        old.status = .superseded
        old.rotation = rotation
        // A cookie that someone had in this session before the sign-in must not sign the new user out.
        edit.deleteUndone()
        edit.setRaw(session.credential.ticketField, try seal(old, session.seal.dataKey, session.credential))
        let credential = session.credential.withNewSecret()
        var claims = TicketClaims(
            status: .current, epoch: meta.epoch, isSignedIn: true, absoluteEnd: meta.absoluteEnd, rotation: rotation)
        // rule: a bound session stays bound under its next cookie
        claims.isBound = session.claims.isBound
        edit.setRaw(credential.ticketField, try seal(claims, session.seal.dataKey, credential))
        edit.isSignedIn = true
        let record = RotationRecord(
            formerTicket: session.credential.ticketField, newTicket: credential.ticketField,
            readsUntil: rotation.readsUntil, replaysUntil: rotation.replaysUntil)
        return (credential, rotation.id, record)
    }

    /// Binds a session to a device: from now on its cookie counts only with the device's proof.
    ///
    /// - Parameters:
    ///   - session: The session, opened by its newest cookie.
    ///   - edit: The edit that writes the device's key.
    /// - Throws: `.unavailable` if the ticket cannot be sealed.
    package func bind(_ session: OpenedSession, _ edit: inout SessionEdit) throws(StoreError) {
        var claims = session.claims
        claims.isBound = true
        edit.setRaw(session.credential.ticketField, try seal(claims, session.seal.dataKey, session.credential))
    }

    /// Seals the ticket of a credential.
    func seal(
        _ claims: TicketClaims, _ dataKey: DataKey, _ credential: SessionCredential
    ) throws(StoreError) -> [UInt8] {
        do {
            return try sealer.seal(SessionTicket(dataKey: dataKey, claims: claims.encoded), for: credential)
        } catch {
            throw .unavailable
        }
    }
}
