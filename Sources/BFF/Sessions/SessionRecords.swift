import Basics
import StorageKit

/// The records of browser sessions in the store: read and opened with a credential, and changed as a whole.
final class SessionRecords: Sendable {
    let environment: Environment
    let tickets: SessionTickets

    init(_ environment: Environment, _ tickets: SessionTickets) {
        self.environment = environment
        self.tickets = tickets
    }

    /// Opens a session with a credential that is at hand.
    ///
    /// - Parameters:
    ///   - credential: The credential.
    ///   - fields: What is read with it; with its ticket, and with its undone one where that counts.
    ///   - signsOut: Whether a ticket counts whose change was taken back.
    /// - Returns: nil when the credential opens nothing.
    /// - Throws: `.storeUnavailable`, also for a ticket of a server key that this process does not have.
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
        // It is never wrapped anew: one of a key that is not here any more is none.
        return (try? open(undone, credential, snapshot, at: environment.now()))?.session.undone
    }

    /// What came of opening a session without waiting.
    enum Opening {
        /// It is open.
        case opened(OpenedSession)
        /// There is no cookie, or none that opens a living session.
        case absent
        /// It cannot be said without waiting: for the store, or for a ticket to be wrapped anew.
        case waits
    }

    /// Opens the session that the cookie belongs to if that needs no waiting.
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
        // What a change of cookie comes to is found out, and written down, by `open`.
        // rule: a changed cookie is looked at closely | .opened(session)
        return isCurrentKey && session.claims.change == nil ? .opened(session) : .waits
    }

    /// Opens the ticket of a credential, and says whether the newest server key wrapped it; nil when it does not open, with
    /// an alarm, or its time is over.
    ///
    /// - Throws: `.storeUnavailable` for the ticket of a server key that this process does not have: another one can open it,
    ///   and nobody is signed out because of it.
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
    /// - Throws: `.signedOut` when the session ended meanwhile; `.storeUnavailable`, see `open`.
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
        // A revision never comes twice in a session: the same one is the ticket that was opened before.
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
        // The ticket may have been replaced while its request was under way: the data key in hand still opens records.
        var claims = session.claims
        claims.status = .replayOnly
        return OpenedSession(
            credential: session.credential, key: session.key, seal: session.seal, claims: claims,
            snapshot: snapshot, ticketRevision: nil, alarm: session.alarm)
    }

    /// Whether a session has ended, by somebody or by its time.
    ///
    /// - Throws: `.storeUnavailable`.
    func isGone(_ key: SessionKey) async throws(BFFError) -> Bool {
        do { return try await !environment.store.read(key, .names([])).exists } catch { throw BFFError(error) }
    }

    /// Other records of a session that is open.
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

    /// Wraps a ticket anew under the newest server key, so that an older one can be taken out in time.
    private func rewrap(_ session: OpenedSession) async {
        // A ticket that was replaced goes within seconds; written again it would lose its end.
        guard session.claims.status(at: environment.now()) == .current else { return }
        do {
            var edit = SessionEdit(session)
            edit.setRaw(
                session.credential.ticketField,
                try tickets.seal(session.claims, session.seal.dataKey, session.credential))
            try await commit(edit)
        } catch {
            // Somebody else wrote it first, or the store is away: the next request does it.
        }
    }
}
