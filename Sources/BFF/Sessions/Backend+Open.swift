import Basics
import Logs
import StorageKit

extension Backend {
    /// Opens the session that the cookie belongs to.
    ///
    /// Says by `TicketDecision` what a cookie is worth that was replaced, or that comes for the first time: what it says
    /// is done when this returns, and the standing of the session's claims is what the request may do.
    ///
    /// - Parameters:
    ///   - context: The request.
    ///   - fields: The records to read with it, in one round trip.
    ///   - use: What the request is for.
    /// - Returns: nil when there is no cookie, or none that opens a living session.
    /// - Throws: `.storeUnavailable`.
    func open(
        _ context: CallContext, _ fields: [String], for use: CookieUse = .works
    ) async throws(BFFError) -> OpenedSession? {
        guard let cookie = context.cookie, let credential = SessionCredential(cookieValue: cookie) else { return nil }
        var names = [credential.ticketField] + fields
        // Each round but the last lost a race, or has decided one and looks again at what came of it.
        for _ in 0..<16 {
            guard let session = try await open(credential, .names(names)) else { return nil }
            guard let id = session.claims.change?.id else { return session }
            guard names.contains(ChangeRecord.field(id)) else {
                names.append(ChangeRecord.field(id))
                continue
            }
            switch decide(session, id, for: use) {
            case .act: return session
            case .confirm: try await confirm(session, id, context)
            case .undo: try await undoChange(session, id, context)
            case .readFormer: return session.former(id)
            case .replay: return session.with(.replayOnly)
            }
        }
        throw .storeUnavailable(retryAfter: .seconds(1))
    }

    private func decide(_ session: OpenedSession, _ id: String, for use: CookieUse) -> TicketDecision {
        session.claims.decide(isFinal: session.change(id)?.isFinal ?? true, for: use, at: time.now())
    }

    /// Opens a session with a credential that is at hand.
    func open(
        _ credential: SessionCredential, _ fields: FieldSelection
    ) async throws(BFFError) -> OpenedSession? {
        let snapshot: SessionSnapshot
        do {
            snapshot = try await store.read(credential.sessionKey, fields)
        } catch {
            throw BFFError(error)
        }
        guard let (session, isCurrentKey) = opened(credential, snapshot, at: time.now()) else { return nil }
        if !isCurrentKey { await rewrap(session) }
        return session
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
            snapshot = try store.readAtOnce(credential.sessionKey, .names([credential.ticketField, field]))
        } catch {
            throw BFFError(error)
        }
        guard let snapshot else { return .waits }
        guard let (session, isCurrentKey) = opened(credential, snapshot, at: now) else { return .absent }
        // What a change of cookie comes to is found out, and written down, by `open`.
        return isCurrentKey && session.claims.change == nil ? .opened(session) : .waits
    }

    /// Opens the ticket of a credential, and says whether the newest server key wrapped it; nil when it does not open, with
    /// an alarm, or its time is over.
    private func opened(
        _ credential: SessionCredential, _ snapshot: SessionSnapshot, at now: Timestamp
    ) -> (session: OpenedSession, isCurrentKey: Bool)? {
        guard let sealed = snapshot[credential.ticketField] else { return nil }
        do {
            let (ticket, isCurrentKey) = try tickets.open(sealed.value, for: credential)
            let claims = try TicketClaims(decoding: ticket.claims)
            guard now < claims.absoluteEnd else { return nil }
            return (
                OpenedSession(
                    credential: credential, key: credential.sessionKey, dataKey: ticket.dataKey, claims: claims,
                    snapshot: snapshot, ticketRevision: sealed.revision, alarm: alarm), isCurrentKey
            )
        } catch {
            alarm("ticket")
            return nil
        }
    }

    /// Reads the whole session again, as after a conflict.
    ///
    /// - Throws: `.signedOut` when the session ended meanwhile.
    func reopen(_ session: OpenedSession) async throws(BFFError) -> OpenedSession {
        let snapshot: SessionSnapshot
        do {
            snapshot = try await store.read(session.key, .all)
        } catch {
            throw BFFError(error)
        }
        guard snapshot.exists else { throw .signedOut }
        let now = time.now()
        // A revision never comes twice in a session: the same one is the ticket that was opened before.
        if let known = session.ticketRevision, snapshot[session.credential.ticketField]?.revision == known {
            guard now < session.claims.absoluteEnd else { throw .signedOut }
            return OpenedSession(
                credential: session.credential, key: session.key, dataKey: session.dataKey, claims: session.claims,
                snapshot: snapshot, ticketRevision: known, alarm: session.alarm)
        }
        if let (fresh, isCurrentKey) = opened(session.credential, snapshot, at: now) {
            if !isCurrentKey { await rewrap(fresh) }
            return fresh
        }
        // The ticket may have been replaced while its request was under way: the data key in hand still opens records.
        var claims = session.claims
        claims.standing = .replayOnly
        return OpenedSession(
            credential: session.credential, key: session.key, dataKey: session.dataKey, claims: claims,
            snapshot: snapshot, ticketRevision: nil, alarm: session.alarm)
    }

    /// Other records of a session that is open.
    ///
    /// - Throws: `.storeUnavailable`.
    func read(_ fields: [String], of session: OpenedSession) async throws(BFFError) -> OpenedSession {
        do {
            return OpenedSession(
                credential: session.credential, key: session.key, dataKey: session.dataKey, claims: session.claims,
                snapshot: try await store.read(session.key, .names(fields)), ticketRevision: session.ticketRevision,
                alarm: session.alarm)
        } catch {
            throw BFFError(error)
        }
    }

    /// Wraps a ticket anew under the newest server key, so that an older one can be taken out in time.
    private func rewrap(_ session: OpenedSession) async {
        // A ticket that was replaced goes within seconds; written again it would lose its end.
        guard session.claims.standing(at: time.now()) == .current else { return }
        do {
            var edit = SessionEdit(session)
            edit.setRaw(
                session.credential.ticketField, try ticket(session.claims, session.dataKey, session.credential))
            try await commit(edit)
        } catch {
            // Somebody else wrote it first, or the store is away: the next request does it.
        }
    }

    /// Says in the log that a stored record does not open.
    static func raiseAlarm(_ field: String, _ logger: Logger) {
        // Only the purpose: the rest of a field's name carries accounts and flow ids.
        let purpose = String(field.prefix { $0 != "/" })
        logger.error("A stored record does not open; it is treated as absent", metadata: ["record": .string(purpose)])
    }
}
