import Basics
import Sessions
import StorageKit

/// Opens browser sessions by their cookies, and carries out the decisions about cookie rotations on the way.
final class BrowserSessions: Sendable {
    let environment: Environment
    let records: SessionRecords
    let revocations: Revocations

    init(_ records: SessionRecords, _ revocations: Revocations) {
        environment = records.environment
        self.records = records
        self.revocations = revocations
    }

    /// Opens the session of a request's cookies: see `SessionStore.open(_:_:for:)`.
    ///
    /// - Returns: nil if there is no cookie, or none that opens a living session.
    /// - Throws: `.storeUnavailable`; `.sessionChanged` for a request that began before a rotation, or whose cookie was
    ///   replaced and this process has known of that for less than ten seconds; `.deviceProofRequired` or
    ///   `.deviceProofMissing` for a session that is bound to a device.
    func open(
        _ context: CallContext, _ fields: [String], for use: CookieUse = .works
    ) async throws(BFFError) -> OpenedSession? {
        // A user who wants to be signed out is answered by no copy, even if the store does not answer now.
        // rule: an attempt to sign out drops the copies
        if use.signsOut { records.store.dropCopies(context.cookies) }
        // A further round follows a decision that this request has carried out, or that another was faster with.
        for _ in 0..<16 {
            let opening: CookieOpening
            do {
                opening = try await records.store.open(context.cookies, fields, for: use)
            } catch {
                throw BFFError(error)
            }
            switch opening {
            case .opened(let session): return session
            case .absent: return nil
            case .confirms(let session, let id): try await confirm(session, id, context)
            case .reverts(let session, let id): try await revertRotation(session, id, context)
            case .changed: throw .sessionChanged
            case .unproven:
                throw context.cookies.device.isSkipped ? .deviceProofMissing : .deviceProofRequired
            }
        }
        throw BFFError(SessionError.busy)
    }

    /// True if another cookie has replaced the request's cookie, which was current when the request arrived.
    ///
    /// - Throws: `.storeUnavailable`.
    func isReplaced(_ context: CallContext) async throws(BFFError) -> Bool {
        if let session = try await open(context, []) { return session.claims.status(at: environment.now()) != .current }
        // The ticket no longer exists; its session may have ended or still live.
        guard let key = context.sessionKey else { return false }
        return try await !records.isGone(key)
    }
}
