package import Basics
package import Logs
package import StorageKit

/// The records of browser sessions in the store: opened with a credential, read, and changed as a whole.
package final class SessionStore: Sendable {
    /// The tickets of the sessions.
    package let tickets: SessionTickets
    let store: any ByteStore
    let times: SessionTimes
    let time: any TimeSource
    let known: KnownSessions
    /// Logs an error for a record that does not decrypt; made once, because every session that is opened carries it.
    private let alarm: @Sendable (_ field: String) -> Void
    private let logger: Logger

    /// Makes the store of sessions.
    ///
    /// - Parameters:
    ///   - store: The store of the records.
    ///   - keys: The keys that wrap tickets, the current one first.
    ///   - encryptor: Seals each record of a session once more; nil for none.
    ///   - times: The life times of sessions and of replaced cookies.
    ///   - time: The clock.
    ///   - known: The facts about sessions that this process keeps in memory.
    ///   - logger: Logs records and tickets that do not open.
    package init(
        _ store: any ByteStore, keys: ServerKeys, encryptor: (any Encryptor)?, times: SessionTimes,
        time: any TimeSource, known: KnownSessions, logger: Logger
    ) {
        self.store = store
        tickets = SessionTickets(keys, times: times, time: time, encryptor: encryptor, rotations: known.rotations)
        self.times = times
        self.time = time
        self.known = known
        self.logger = logger
        alarm = { field in
            // The log gets only the purpose, because the rest of a field's name contains accounts and flow ids.
            let purpose = String(field.prefix { $0 != "/" })
            logger.error(
                "A stored record does not open; it is treated as absent", metadata: ["record": .string(purpose)])
        }
    }

    /// Opens a session with a credential.
    ///
    /// - Parameters:
    ///   - credential: The credential.
    ///   - fields: The fields to read, among them the ticket and, for `signsOut`, the undone ticket.
    ///   - signsOut: True if a ticket counts whose rotation was reverted.
    /// - Returns: nil if the credential opens nothing.
    /// - Throws: `.unavailable`, also if this process does not have the server key of the ticket.
    package func open(
        _ credential: SessionCredential, _ fields: FieldSelection, signsOut: Bool = false
    ) async throws(SessionError) -> OpenedSession? {
        let snapshot: SessionSnapshot
        do {
            snapshot = try await store.read(credential.sessionKey, EndedParts.read(with: fields))
        } catch {
            throw SessionError(error)
        }
        if let (session, isCurrentKey) = try opened(credential, snapshot, at: time.now()) {
            if !isCurrentKey { await rewrap(session) }
            return session
        }
        guard signsOut, let undone = snapshot[credential.undoneField] else { return nil }
        // An undone ticket is never rewrapped: under a server key that this process does not have any more, it counts
        // as absent.
        return (try? open(undone, credential, snapshot, at: time.now()))?.session.undone
    }

    /// The result of opening a session without waiting.
    package enum Opening {
        /// The session is open.
        case opened(OpenedSession)
        /// There is no cookie, or the cookie opens no living session.
        case absent
        /// The result needs waiting: for the store, to rewrap the ticket, or to decide a cookie rotation.
        case waits
    }

    /// Opens the session of a cookie if that needs no waiting.
    ///
    /// - Throws: `.unavailable`.
    package func openAtOnce(
        _ cookie: String?, _ field: String, device: SentDeviceProof = SentDeviceProof(), at now: Timestamp
    ) throws(SessionError) -> Opening {
        guard let cookie, let credential = SessionCredential(cookieValue: cookie) else { return .absent }
        let snapshot: SessionSnapshot?
        do {
            snapshot = try store.readAtOnce(
                credential.sessionKey, EndedParts.read(with: .names([credential.ticketField, field])))
        } catch {
            throw SessionError(error)
        }
        guard let snapshot else { return .waits }
        guard let (session, isCurrentKey) = try opened(credential, snapshot, at: now) else { return .absent }
        // `open(_:_:for:)` says what an unproven session is.
        // rule: a bound session is opened at once with its device's proof
        guard isProven(session, by: device, at: now) else { return .waits }
        // `open(_:_:for:)` decides a cookie rotation, and its caller writes the decision.
        // rule: a changed cookie is looked at closely | .opened(session)
        return isCurrentKey && session.claims.rotation == nil ? .opened(session) : .waits
    }

    /// Opens the ticket of a credential; the result is nil if the ticket is absent or expired or, with an alarm, does
    /// not open.
    ///
    /// - Returns: The session; `isCurrentKey` is true if the newest server key wrapped the ticket.
    /// - Throws: `.unavailable` if this process does not have the server key of the ticket: another process can
    ///   open it, so the user is not signed out because of it.
    func opened(
        _ credential: SessionCredential, _ snapshot: SessionSnapshot, at now: Timestamp
    ) throws(SessionError) -> (session: OpenedSession, isCurrentKey: Bool)? {
        guard let sealed = snapshot[credential.ticketField] else { return nil }
        return try open(sealed, credential, snapshot, at: now)
    }

    private func open(
        _ sealed: StoredField, _ credential: SessionCredential, _ snapshot: SessionSnapshot, at now: Timestamp
    ) throws(SessionError) -> (session: OpenedSession, isCurrentKey: Bool)? {
        do {
            let (seal, claims, isCurrentKey) = try tickets.open(sealed.value, for: credential)
            // rule: a session ends at its absolute end
            guard now < claims.absoluteEnd else { return nil }
            return (
                OpenedSession(
                    credential: credential, key: credential.sessionKey, seal: seal, claims: claims,
                    snapshot: snapshot, ticketRevision: sealed.revision, alarm: alarm), isCurrentKey
            )
        } catch SealError.unknownKey {
            logger.error(
                "A session is sealed under a server key that this process does not have",
                metadata: ["key": .string(TicketSealer.keyID(sealed.value) ?? "")])
            throw .unavailable
        } catch {
            alarm("ticket")
            return nil
        }
    }

    /// Reads the whole session again, as after a conflict.
    ///
    /// - Throws: `.ended` if the session has ended meanwhile; `.unavailable`, see `open`.
    package func reopen(_ session: OpenedSession) async throws(SessionError) -> OpenedSession {
        let snapshot: SessionSnapshot
        do {
            snapshot = try await store.read(session.key, .all)
        } catch {
            throw SessionError(error)
        }
        // rule: a session that is gone is not read again
        guard snapshot.exists else { throw .ended }
        let now = time.now()
        // A revision is never used twice in a session, so an equal revision is the ticket that was opened before.
        if let known = session.ticketRevision, snapshot[session.credential.ticketField]?.revision == known {
            // rule: a session that is read again ends at its absolute end
            guard now < session.claims.absoluteEnd else { throw .ended }
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
    /// - Throws: `.unavailable`.
    package func isGone(_ key: SessionKey) async throws(SessionError) -> Bool {
        do { return try await !store.read(key, .names([])).exists } catch { throw SessionError(error) }
    }

    /// Reads other records of an open session.
    ///
    /// - Throws: `.unavailable`.
    package func read(_ fields: [String], of session: OpenedSession) async throws(SessionError) -> OpenedSession {
        do {
            return OpenedSession(
                credential: session.credential, key: session.key, seal: session.seal, claims: session.claims,
                snapshot: try await store.read(session.key, EndedParts.read(with: .names(fields))),
                ticketRevision: session.ticketRevision, alarm: session.alarm)
        } catch {
            throw SessionError(error)
        }
    }

    /// Rewraps a ticket under the newest server key, so that an older key can be removed in time.
    private func rewrap(_ session: OpenedSession) async {
        // A replaced ticket expires within seconds; another write would remove its expiry.
        guard session.claims.status(at: time.now()) == .current else { return }
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
