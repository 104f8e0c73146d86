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
            return OpenedSession(
                credential: credential, key: key, dataKey: ticket.dataKey, claims: claims, isCurrentKey: isCurrentKey,
                snapshot: snapshot, alarm: { [logger] field in Self.raiseAlarm(field, logger) })
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
            isCurrentKey: session.isCurrentKey, snapshot: snapshot, alarm: session.alarm)
    }

    /// Changes a session as a whole: reads it, lets the body decide, writes all or nothing, and begins again when
    /// somebody else changed the same records meanwhile.
    func edit<Result: Sendable>(
        _ session: OpenedSession,
        _ body: (OpenedSession, inout SessionEdit) throws(EditError) -> Result
    ) async throws(BFFError) -> Result {
        var outages = 0
        for _ in 0..<32 {
            let fresh = try await reopen(session)
            do {
                var edit = SessionEdit(fresh)
                let result = try body(fresh, &edit)
                if edit.writes.isEmpty, edit.expires == nil { return result }
                try await commit(edit)
                return result
            } catch {
                switch error {
                case .store(.conflict):
                    continue
                case .store(.unavailable) where outages < 3:
                    outages += 1
                    try? await Task.sleep(for: .milliseconds(50 << (2 * outages)))
                case .store, .refused:
                    throw error.forCaller
                }
            }
        }
        throw .storeUnavailable(retryAfter: .seconds(1))
    }

    func commit(_ edit: SessionEdit) async throws(EditError) {
        do {
            try await store.commit(edit.key, edit.commit)
        } catch {
            throw .store(error)
        }
    }

    private static func raiseAlarm(_ field: String, _ logger: Logger) {
        // Only the purpose: the rest of a field's name carries accounts and flow ids.
        let purpose = String(field.prefix { $0 != "/" })
        logger.error("A stored record does not open; it is treated as absent", metadata: ["record": .string(purpose)])
    }
}

/// Why an edit was not made.
enum EditError: Error {
    /// The operation itself says no.
    case refused(BFFError)
    /// The store says no.
    case store(StoreError)

    /// The same in the words of an operation.
    var forCaller: BFFError {
        switch self {
        case .refused(let error): error
        case .store(let error): BFFError(error)
        }
    }
}
