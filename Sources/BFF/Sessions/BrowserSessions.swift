import Basics
import Sessions
import StorageKit

/// Opens browser sessions by their cookies, and decides the cookie rotations that it finds.
final class BrowserSessions: Sendable {
    let environment: Environment
    let records: SessionRecords
    let revocations: Revocations
    /// The sessions that this process created and that have not signed in.
    var anonymous: AnonymousSessions { environment.work.anonymous }

    init(_ records: SessionRecords, _ revocations: Revocations) {
        environment = records.environment
        self.records = records
        self.revocations = revocations
    }

    /// Opens the session of the sign-in cookie or, if that cookie opens none, of the start cookie, which has no
    /// sign-in.
    ///
    /// `TicketDecision` says what a replaced cookie, or a new one that arrives for the first time, may do. The decision
    /// is carried out when this returns, and the status of the session's claims says what the request may do.
    ///
    /// - Parameters:
    ///   - context: The request.
    ///   - fields: The records to read with the ticket, in one round trip.
    ///   - use: The purpose of the request.
    /// - Returns: nil if there is no cookie, or none that opens a living session.
    /// - Throws: `.storeUnavailable`; `.sessionChanged` for a request that began before a rotation, or whose cookie was
    ///   replaced and this process has known of that for less than ten seconds.
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
        // An attacker who plants a start cookie cannot sign the user in with it.
        // rule: a start cookie signs nobody in | try await open(credential, context, fields, for: use) { _ in true }
        return try await open(credential, context, fields, for: use) { !$0.isSignedIn }
    }

    private func open(
        _ credential: SessionCredential, _ context: CallContext, _ fields: [String], for use: CookieUse,
        _ isMeant: (TicketClaims) -> Bool
    ) async throws(BFFError) -> OpenedSession? {
        var names = [credential.ticketField] + (use.signsOut ? [credential.undoneField] : []) + fields
        // A round that does not return reads again: it lacked the record of a rotation, carried out a decision or
        // lost a race.
        for _ in 0..<16 {
            guard let session = try await records.open(credential, .names(names), signsOut: use.signsOut),
                // rule: a cookie is used for what it is meant for
                isMeant(session.claims)
            else { return nil }
            guard let rotation = session.claims.rotation else { return session }
            let id = rotation.id
            guard names.contains(RotationRecord.field(id)) else {
                names.append(RotationRecord.field(id))
                continue
            }
            switch decide(session, id, for: use) {
            case .act: return session
            case .confirm: try await confirm(session, id, context)
            case .revert:
                // rule: a browser shows that it never got its new cookie
                guard use == .endsSession || showsItsLoss(rotation, context) else { throw .sessionChanged }
                try await revertRotation(session, id, context)
            case .readFormer: return session.former(id)
            case .replay, .dead: return session.with(.replayOnly)
            }
        }
        throw .storeUnavailable(retryAfter: .seconds(1))
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

    /// True if a request with a replaced cookie shows that the browser never received the new cookie.
    ///
    /// It does if it arrived after the rotation and, besides, this process has known of the rotation for
    /// `supersededTicket`, or `readsUntil` is at least `SeenRotations.clockTolerance` in the past.
    private func showsItsLoss(_ rotation: TicketClaims.Rotation, _ context: CallContext) -> Bool {
        let now = environment.now()
        let wait = environment.settings.supersededTicket
        let age = (ContinuousClock.now - context.began).milliseconds
        guard now.adding(milliseconds: wait.milliseconds - age) >= rotation.readsUntil else { return false }
        return environment.work.rotations.note(rotation.id, at: now) + wait <= now
            || now >= rotation.readsUntil + SeenRotations.clockTolerance
    }

    private func decide(_ session: OpenedSession, _ id: String, for use: CookieUse) -> TicketDecision {
        let now = environment.now()
        if session.claims.status != .current { environment.work.rotations.note(id, at: now) }
        return session.claims.decide(isFinal: session.rotation(id)?.isFinal ?? true, for: use, at: now)
    }
}
