import Basics
import StorageKit

/// Browser sessions by their cookies: opened, with what a change of cookie comes to, and made for browsers that have none.
final class BrowserSessions: Sendable {
    let environment: Environment
    let records: SessionRecords
    let revocations: Revocations
    /// Those that this process made and that have not signed in.
    var anonymous: AnonymousSessions { environment.work.anonymous }

    init(_ records: SessionRecords, _ revocations: Revocations) {
        environment = records.environment
        self.records = records
        self.revocations = revocations
    }

    /// Opens the session that the cookie belongs to; where it opens none, that of the cookie without a sign-in.
    ///
    /// Says by `TicketDecision` what a cookie is worth that was replaced, or that comes for the first time: what it says
    /// is done when this returns, and the status of the session's claims is what the request may do.
    ///
    /// - Parameters:
    ///   - context: The request.
    ///   - fields: The records to read with it, in one round trip.
    ///   - use: What the request is for.
    /// - Returns: nil when there is no cookie, or none that opens a living session.
    /// - Throws: `.storeUnavailable`; `.sessionChanged` for a request that has been under way since before a change, or
    ///   that comes with a cookie of which this process does not know for ten seconds yet that it was replaced.
    func open(
        _ context: CallContext, _ fields: [String], for use: CookieUse = .works
    ) async throws(BFFError) -> OpenedSession? {
        if let cookie = context.cookie, let credential = SessionCredential(cookieValue: cookie),
            let session = try await open(credential, context, fields, for: use, { _ in true })
        {
            return session
        }
        guard let cookie = context.startCookie, let credential = SessionCredential(cookieValue: cookie) else {
            return nil
        }
        // Whoever plants a cookie of that name signs nobody in with it.
        // rule: a start cookie signs nobody in | try await open(credential, context, fields, for: use) { _ in true }
        return try await open(credential, context, fields, for: use) { !$0.isSignedIn }
    }

    private func open(
        _ credential: SessionCredential, _ context: CallContext, _ fields: [String], for use: CookieUse,
        _ isMeant: (TicketClaims) -> Bool
    ) async throws(BFFError) -> OpenedSession? {
        var names = [credential.ticketField] + (use.signsOut ? [credential.undoneField] : []) + fields
        // Each round but the last lost a race, or has decided one and looks again at what came of it.
        for _ in 0..<16 {
            guard let session = try await records.open(credential, .names(names), signsOut: use.signsOut),
                // rule: a cookie is used for what it is meant for
                isMeant(session.claims)
            else { return nil }
            guard let id = session.claims.change?.id else { return session }
            guard names.contains(ChangeRecord.field(id)) else {
                names.append(ChangeRecord.field(id))
                continue
            }
            switch decide(session, id, for: use) {
            case .act: return session
            case .confirm: try await confirm(session, id, context)
            case .revert:
                // rule: a browser shows that it never got its new cookie
                guard use == .endsSession || showsItsLoss(session.claims.change, context) else { throw .sessionChanged }
                try await revertChange(session, id, context)
            case .readFormer: return session.former(id)
            case .replay, .dead: return session.with(.replayOnly)
            }
        }
        throw .storeUnavailable(retryAfter: .seconds(1))
    }

    /// Whether another cookie has taken the place of this one, which acted when its request came.
    ///
    /// - Throws: `.storeUnavailable`.
    func isReplaced(_ context: CallContext) async throws(BFFError) -> Bool {
        if let session = try await open(context, []) { return session.claims.status(at: environment.now()) != .current }
        // Its ticket is gone: with the session, or before it.
        guard let key = context.sessionKey else { return false }
        return try await !records.isGone(key)
    }

    /// Whether a request with a cookie that was replaced shows that the browser never got the new one: it came after the
    /// change, and long enough after this process has first heard of that.
    private func showsItsLoss(_ change: TicketClaims.Change?, _ context: CallContext) -> Bool {
        guard let change else { return true }
        let now = environment.now()
        let wait = environment.settings.supersededTicket
        let age = (ContinuousClock.now - context.began).milliseconds
        guard now.adding(milliseconds: wait.milliseconds - age) >= change.readsUntil else { return false }
        return environment.work.changes.note(change.id, at: now) + wait <= now
            || now >= change.readsUntil + SeenChanges.clockTolerance
    }

    private func decide(_ session: OpenedSession, _ id: String, for use: CookieUse) -> TicketDecision {
        let now = environment.now()
        if session.claims.status != .current { environment.work.changes.note(id, at: now) }
        return session.claims.decide(isFinal: session.change(id)?.isFinal ?? true, for: use, at: now)
    }
}
