import Basics
import Logging
import StorageKit

extension Backend {
    /// Opens the session that the cookie belongs to.
    ///
    /// - Parameters:
    ///   - context: The request.
    ///   - fields: The records to read with it, in one round trip.
    /// - Returns: nil when there is no cookie, or none that opens a living session.
    /// - Throws: `.storeUnavailable`.
    func open(_ context: CallContext, _ fields: [String]) async throws(BFFError) -> OpenedSession? {
        guard let cookie = context.cookie, let credential = SessionCredential(cookieValue: cookie) else { return nil }
        return try await open(credential, .names([credential.ticketField] + fields))
    }

    /// Opens a session with a credential that is at hand.
    func open(
        _ credential: SessionCredential, _ fields: FieldSelection
    ) async throws(BFFError) -> OpenedSession? {
        let key = credential.sessionKey
        let snapshot: SessionSnapshot
        do {
            snapshot = try await store.read(key, fields)
        } catch {
            throw BFFError(error)
        }
        guard let sealed = snapshot[credential.ticketField] else { return nil }
        do {
            let (ticket, isCurrentKey) = try tickets.open(sealed.value, for: credential)
            let claims = try TicketClaims(decoding: ticket.claims)
            guard time.now() < claims.absoluteEnd else { return nil }
            let session = OpenedSession(
                credential: credential, key: key, dataKey: ticket.dataKey, claims: claims, snapshot: snapshot,
                alarm: { [logger] field in Self.raiseAlarm(field, logger) })
            if !isCurrentKey { await rewrap(session) }
            return session
        } catch {
            Self.raiseAlarm("ticket", logger)
            return nil
        }
    }

    /// Reads the whole session again, as after a conflict.
    ///
    /// - Throws: `.signedOut` when the session ended meanwhile.
    func reopen(_ session: OpenedSession) async throws(BFFError) -> OpenedSession {
        if let fresh = try await open(session.credential, .all) { return fresh }
        // The ticket may have been replaced while its request was under way: the data key in hand still opens records.
        let snapshot: SessionSnapshot
        do {
            snapshot = try await store.read(session.key, .all)
        } catch {
            throw BFFError(error)
        }
        guard snapshot.exists else { throw .signedOut }
        var claims = session.claims
        claims.standing = .replayOnly
        return OpenedSession(
            credential: session.credential, key: session.key, dataKey: session.dataKey, claims: claims,
            snapshot: snapshot, alarm: session.alarm)
    }

    /// Other records of a session that is open.
    ///
    /// - Throws: `.storeUnavailable`.
    func read(_ fields: [String], of session: OpenedSession) async throws(BFFError) -> OpenedSession {
        do {
            return OpenedSession(
                credential: session.credential, key: session.key, dataKey: session.dataKey, claims: session.claims,
                snapshot: try await store.read(session.key, .names(fields)), alarm: session.alarm)
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

    private static func raiseAlarm(_ field: String, _ logger: Logger) {
        // Only the purpose: the rest of a field's name carries accounts and flow ids.
        let purpose = String(field.prefix { $0 != "/" })
        logger.error("A stored record does not open; it is treated as absent", metadata: ["record": .string(purpose)])
    }
}
