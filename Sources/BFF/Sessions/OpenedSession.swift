import Basics
import StorageKit

/// A browser session opened with its cookie: what was read of it, and the key to it.
struct OpenedSession: Sendable {
    let credential: SessionCredential
    let key: SessionKey
    let seal: SessionSeal
    let claims: TicketClaims
    let snapshot: SessionSnapshot
    /// The revision of the ticket that `claims` are from; nil when they are not from a ticket that is there.
    let ticketRevision: UInt64?
    /// Raises the alarm for records that do not open.
    let alarm: @Sendable (_ field: String) -> Void

    /// The same session with other records in hand.
    func with(_ snapshot: SessionSnapshot) -> OpenedSession {
        OpenedSession(
            credential: credential, key: key, seal: seal, claims: claims, snapshot: snapshot,
            ticketRevision: ticketRevision, alarm: alarm)
    }

    /// The same session for a request that may do no more than this.
    func with(_ status: TicketClaims.Status) -> OpenedSession {
        var claims = claims
        claims.status = status
        return OpenedSession(
            credential: credential, key: key, seal: seal, claims: claims, snapshot: snapshot,
            ticketRevision: ticketRevision, alarm: alarm)
    }

    /// The same session under a ticket whose change was taken back: it signs out, and nothing else.
    var undone: OpenedSession {
        var claims = claims
        claims.status = .superseded
        claims.change = nil
        return OpenedSession(
            credential: credential, key: key, seal: seal, claims: claims, snapshot: snapshot, ticketRevision: nil,
            alarm: alarm)
    }

    /// The plain bytes of a field.
    ///
    /// A record that was tampered with, truncated, swapped or belongs to another session is absent, with an alarm.
    func record(_ field: String) -> [UInt8]? {
        guard let stored = snapshot[field] else { return nil }
        do {
            return try seal.decrypt(stored.value, at: RecordAddress(session: key, field: field))
        } catch {
            alarm(field)
            return nil
        }
    }

    /// A field decoded.
    ///
    /// One that does not open or decode is absent, with an alarm; of a version that is no longer read, without.
    func decoded<Record: RecordCodable>(_ field: String) -> Record? {
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

    /// The table of contents.
    var meta: MetaRecord? { decoded(MetaRecord.field) }

    /// The seconds until the session ends unless it is used.
    func idleLeft(at now: Timestamp) -> Int64 {
        (snapshot.expires ?? now).secondsLeft(at: now)
    }

    /// The seconds until the session ends in any case.
    func absoluteLeft(at now: Timestamp) -> Int64 {
        claims.absoluteEnd.secondsLeft(at: now)
    }
}
