import Basics
import StorageKit

/// The records of browser sessions in the store: opened with a credential, read, and changed as a whole.
final class SessionRecords: Sendable {
    let environment: Environment
    let tickets: SessionTickets

    init(_ environment: Environment, _ tickets: SessionTickets) {
        self.environment = environment
        self.tickets = tickets
    }

    /// Opens a session with a credential.
    ///
    /// - Parameters:
    ///   - credential: The credential.
    ///   - fields: The fields to read, among them the ticket and, for `signsOut`, the undone ticket.
    ///   - signsOut: True if a ticket counts whose rotation was reverted.
    /// - Returns: nil if the credential opens nothing.
    /// - Throws: `.storeUnavailable`, also if this process does not have the server key of the ticket.
    func open(
        _ credential: SessionCredential, _ fields: FieldSelection, signsOut: Bool = false
    ) async throws(BFFError) -> OpenedSession? {
        let snapshot: SessionSnapshot
        do {
            snapshot = try await environment.store.read(credential.sessionKey, fields)
        } catch {
            throw BFFError(error)
        }
        if let (session, isCurrentKey) = try opened(credential, snapshot, at: environment.now()) {
            if !isCurrentKey { await rewrap(session) }
            return session
        }
        guard signsOut, let undone = snapshot[credential.undoneField] else { return nil }
        // An undone ticket is never rewrapped: under a server key that this process does not have any more, it counts
        // as absent.
        return (try? open(undone, credential, snapshot, at: environment.now()))?.session.undone
    }

    /// The result of opening a session without waiting.
    enum Opening {
        /// The session is open.
        case opened(OpenedSession)
        /// There is no cookie, or the cookie opens no living session.
        case absent
        /// The result needs waiting: for the store, to rewrap the ticket, or to decide a cookie rotation.
        case waits
    }

    /// Opens the session of a cookie if that needs no waiting.
    ///
    /// - Throws: `.storeUnavailable`.
    func openAtOnce(_ cookie: String?, _ field: String, at now: Timestamp) throws(BFFError) -> Opening {
        guard let cookie, let credential = SessionCredential(cookieValue: cookie) else { return .absent }
        let snapshot: SessionSnapshot?
        do {
            snapshot = try environment.store.readAtOnce(credential.sessionKey, .names([credential.ticketField, field]))
        } catch {
            throw BFFError(error)
        }
        guard let snapshot else { return .waits }
        guard let (session, isCurrentKey) = try opened(credential, snapshot, at: now) else { return .absent }
        // `BrowserSessions.open` decides a cookie rotation and writes the decision.
        // rule: a changed cookie is looked at closely | .opened(session)
        return isCurrentKey && session.claims.change == nil ? .opened(session) : .waits
    }

    /// Opens the ticket of a credential; the result is nil if the ticket is absent or expired or, with an alarm, does
    /// not open.
    ///
    /// - Returns: The session; `isCurrentKey` is true if the newest server key wrapped the ticket.
    /// - Throws: `.storeUnavailable` if this process does not have the server key of the ticket: another process can
    ///   open it, so the user is not signed out because of it.
    private func opened(
        _ credential: SessionCredential, _ snapshot: SessionSnapshot, at now: Timestamp
    ) throws(BFFError) -> (session: OpenedSession, isCurrentKey: Bool)? {
        guard let sealed = snapshot[credential.ticketField] else { return nil }
        return try open(sealed, credential, snapshot, at: now)
    }

    private func open(
        _ sealed: StoredField, _ credential: SessionCredential, _ snapshot: SessionSnapshot, at now: Timestamp
    ) throws(BFFError) -> (session: OpenedSession, isCurrentKey: Bool)? {
        do {
            let (seal, claims, isCurrentKey) = try tickets.open(sealed.value, for: credential)
            // rule: a session ends at its absolute end
            guard now < claims.absoluteEnd else { return nil }
            return (
                OpenedSession(
                    credential: credential, key: credential.sessionKey, seal: seal, claims: claims,
                    snapshot: snapshot, ticketRevision: sealed.revision, alarm: environment.alarm), isCurrentKey
            )
        } catch SealError.unknownKey {
            environment.raiseAlarm(ofKey: TicketSealer.keyID(sealed.value))
            throw .storeUnavailable(retryAfter: .seconds(5))
        } catch {
            environment.alarm("ticket")
            return nil
        }
    }

    /// Reads the whole session again, as after a conflict.
    ///
    /// - Throws: `.signedOut` if the session has ended meanwhile; `.storeUnavailable`, see `open`.
    func reopen(_ session: OpenedSession) async throws(BFFError) -> OpenedSession {
        let snapshot: SessionSnapshot
        do {
            snapshot = try await environment.store.read(session.key, .all)
        } catch {
            throw BFFError(error)
        }
        // rule: a session that is gone is not read again
        guard snapshot.exists else { throw .signedOut }
        let now = environment.now()
        // A revision is never used twice in a session, so an equal revision is the ticket that was opened before.
        if let known = session.ticketRevision, snapshot[session.credential.ticketField]?.revision == known {
            // rule: a session that is read again ends at its absolute end
            guard now < session.claims.absoluteEnd else { throw .signedOut }
            return OpenedSession(
                credential: session.credential, key: session.key, seal: session.seal, claims: session.claims,
                snapshot: snapshot, ticketRevision: known, alarm: session.alarm)
        }
        if let (fresh, isCurrentKey) = try opened(session.credential, snapshot, at: now) {
            if !isCurrentKey { await rewrap(fresh) }
            return fresh
        }
        // The ticket may have been replaced while its request was in flight: the data key that is at hand still opens
        // records.
        var claims = session.claims
        claims.status = .replayOnly
        return OpenedSession(
            credential: session.credential, key: session.key, seal: session.seal, claims: claims,
            snapshot: snapshot, ticketRevision: nil, alarm: session.alarm)
    }

    /// True if a session does not exist any more, because a request ended it or its time was over.
    ///
    /// - Throws: `.storeUnavailable`.
    func isGone(_ key: SessionKey) async throws(BFFError) -> Bool {
        do { return try await !environment.store.read(key, .names([])).exists } catch { throw BFFError(error) }
    }

    /// Reads other records of an open session.
    ///
    /// - Throws: `.storeUnavailable`.
    func read(_ fields: [String], of session: OpenedSession) async throws(BFFError) -> OpenedSession {
        do {
            return OpenedSession(
                credential: session.credential, key: session.key, seal: session.seal, claims: session.claims,
                snapshot: try await environment.store.read(session.key, .names(fields)),
                ticketRevision: session.ticketRevision, alarm: session.alarm)
        } catch {
            throw BFFError(error)
        }
    }

    /// Rewraps a ticket under the newest server key, so that an older key can be removed in time.
    private func rewrap(_ session: OpenedSession) async {
        // A replaced ticket expires within seconds; another write would remove its expiry.
        guard session.claims.status(at: environment.now()) == .current else { return }
        do {
            var edit = SessionEdit(session)
            edit.setRaw(
                session.credential.ticketField,
                try tickets.seal(session.claims, session.seal.dataKey, session.credential))
            try await commit(edit)
        } catch {
            // Another request wrote the ticket first, or the store is unavailable: the next request rewraps it.
        }
    }
}
