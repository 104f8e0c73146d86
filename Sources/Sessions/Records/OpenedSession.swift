package import Basics
package import StorageKit

/// A browser session opened with its cookie: the fields that were read, and the key that opens them.
package struct OpenedSession: Sendable {
    /// The credential that opened the session.
    package let credential: SessionCredential
    /// The name of the session in the store.
    package let key: SessionKey
    let seal: SessionSeal
    /// The claims of the ticket.
    package let claims: TicketClaims
    /// The fields that were read, sealed.
    package let snapshot: SessionSnapshot
    /// The revision of the ticket that `claims` come from; nil if they do not come from a stored ticket.
    let ticketRevision: UInt64?
    /// Reports a record that does not open.
    let alarm: @Sendable (_ field: String) -> Void

    /// This session with another snapshot of its records.
    func with(_ snapshot: SessionSnapshot) -> OpenedSession {
        OpenedSession(
            credential: credential, key: key, seal: seal, claims: claims, snapshot: snapshot,
            ticketRevision: ticketRevision, alarm: alarm)
    }

    /// This session with another status, for a request that may do no more than the status allows.
    package func with(_ status: TicketClaims.Status) -> OpenedSession {
        var claims = claims
        claims.status = status
        return OpenedSession(
            credential: credential, key: key, seal: seal, claims: claims, snapshot: snapshot,
            ticketRevision: ticketRevision, alarm: alarm)
    }

    /// This session under a ticket whose rotation was reverted: the ticket may sign out, and nothing else.
    var undone: OpenedSession {
        var claims = claims
        claims.status = .superseded
        claims.rotation = nil
        return OpenedSession(
            credential: credential, key: key, seal: seal, claims: claims, snapshot: snapshot, ticketRevision: nil,
            alarm: alarm)
    }

    /// The plain bytes of a field.
    ///
    /// The result is nil, with an alarm, for a record that was tampered with, truncated, swapped or belongs to another
    /// session.
    package func record(_ field: String) -> [UInt8]? {
        guard let stored = snapshot[field] else { return nil }
        do {
            return try seal.decrypt(stored.value, at: RecordAddress(session: key, field: field))
        } catch {
            alarm(field)
            return nil
        }
    }

    /// The decoded record of a field.
    ///
    /// The result is nil, with an alarm, for a record that does not open or decode; it is nil without an alarm for a
    /// record of a version that is no longer read.
    package func decoded<Record: RecordCodable>(_ field: String) -> Record? {
        guard let stored = snapshot[field] else { return nil }
        do throws(UnreadableRecordError) {
            return try seal.decrypt(
                stored.value, as: Record.self, at: RecordAddress(session: key, field: field))
        } catch .form(.older) {
            return nil
        } catch {
            alarm(field)
            return nil
        }
    }

    /// The table of contents, without records that were ended without the cookie.
    package var meta: MetaRecord? {
        guard let meta: MetaRecord = decoded(MetaRecord.field) else { return nil }
        // rule: what was ended without the cookie is not listed | meta
        return snapshot.endedParts.map { meta.without($0) } ?? meta
    }

    /// The seconds until the session ends by its idle timeout.
    package func idleLeft(at now: Timestamp) -> Int64 {
        (snapshot.expires ?? now).secondsLeft(at: now)
    }

    /// The seconds until the session ends regardless of use.
    package func absoluteLeft(at now: Timestamp) -> Int64 {
        claims.absoluteEnd.secondsLeft(at: now)
    }
}
