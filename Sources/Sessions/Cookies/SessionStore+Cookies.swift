import Basics
import StorageKit

/// The result of opening a session by the cookies of a request.
package enum CookieOpening {
    /// The session is open; the status of its claims says what the request may do.
    case opened(OpenedSession)
    /// There is no cookie, or none that opens a living session.
    case absent
    /// The rotation has to be confirmed before the session is opened again.
    case confirms(OpenedSession, rotation: String)
    /// The rotation has to be reverted before the session is opened again.
    case reverts(OpenedSession, rotation: String)
    /// The browser has to repeat the request with its new cookie.
    case changed
    /// The session is bound to a device, and the request lacks the device's proof.
    case unproven
}

extension SessionStore {
    /// Opens the session of the sign-in cookie or, if that cookie opens none, of the start cookie, which has no
    /// sign-in.
    ///
    /// `TicketDecision` says what a replaced cookie, or a new one that arrives for the first time, may do.
    ///
    /// - Parameters:
    ///   - cookies: The cookies of the request.
    ///   - fields: The records to read with the ticket, in one round trip.
    ///   - use: The purpose of the request.
    /// - Returns: The session, or the decision about a cookie rotation that the caller carries out first; `.changed`
    ///   for a request that began before a rotation, or whose cookie was replaced and this process has known of that
    ///   for less than ten seconds, where the time of the cookie is over by the clock of this process.
    /// - Throws: `.unavailable`; `.busy` if other requests rotated the cookie in every attempt.
    package func open(
        _ cookies: SessionCookies, _ fields: [String], for use: CookieUse
    ) async throws(SessionError) -> CookieOpening {
        var first = CookieOpening.absent
        if let cookie = cookies.session, let credential = SessionCredential(cookieValue: cookie) {
            first = try await open(credential, cookies, reading: fields, for: use) { _ in true }
            // A browser that lost its device's key signs in anew, in a session that this cookie does not open.
            switch first {
            case .absent: break
            case .unproven:
                // rule: a browser that cannot prove its device now keeps its session
                if cookies.device.isSkipped { return first }
            case .opened, .confirms, .reverts, .changed: return first
            }
        }
        guard let cookie = cookies.start, let credential = SessionCredential(cookieValue: cookie) else {
            return first
        }
        let second = try await openStart(credential, cookies, fields, for: use)
        if case .absent = second { return first }
        return second
    }

    private func openStart(
        _ credential: SessionCredential, _ cookies: SessionCookies, _ fields: [String], for use: CookieUse
    ) async throws(SessionError) -> CookieOpening {
        // An attacker who plants a start cookie cannot sign the user in with it.
        // rule: a start cookie signs nobody in | try await open(credential, cookies, reading: fields, for: use) { _ in true }
        return try await open(credential, cookies, reading: fields, for: use) { !$0.isSignedIn }
    }

    private func open(
        _ credential: SessionCredential, _ cookies: SessionCookies, reading fields: [String], for use: CookieUse,
        where isMeant: (TicketClaims) -> Bool
    ) async throws(SessionError) -> CookieOpening {
        var names = [credential.ticketField] + (use.signsOut ? [credential.undoneField] : []) + fields
        // Each further round reads the record of a rotation that the round before found in the ticket.
        for _ in 0..<16 {
            guard let session = try await open(credential, .names(names), signsOut: use.signsOut),
                // rule: a cookie is used for what it is meant for
                isMeant(session.claims)
            else { return .absent }
            // rule: a bound session is opened with its device's proof
            guard use.isForUnproven || isProven(session, by: cookies.device, at: sentAt(cookies)) else {
                return .unproven
            }
            guard let rotation = session.claims.rotation else { return .opened(session) }
            guard names.contains(RotationRecord.field(rotation.id)) else {
                names.append(RotationRecord.field(rotation.id))
                // rule: a cookie of before the binding is opened with the device's proof too
                if times.deviceCookie != nil, session.claims.status != .current, !names.contains(Self.deviceField) {
                    names.append(Self.deviceField)
                }
                continue
            }
            switch decide(session, rotation.id, for: use) {
            case .act: return .opened(session)
            case .confirm: return .confirms(session, rotation: rotation.id)
            case .revert:
                // rule: a browser that watches takes no sign-in back
                if use == .watches { return .changed }
                // rule: a browser shows that it never got its new cookie
                guard use == .endsSession || isSurelyOver(rotation, cookies) else { return .changed }
                return .reverts(session, rotation: rotation.id)
            case .readFormer: return .opened(session.former(rotation.id))
            case .dead:
                // The browser may have sent the request before it had the new cookie, and the clock here be ahead.
                // rule: a process that may be wrong about the time calls no cookie dead
                guard use != .works && use != .watches || isSurelyOver(rotation, cookies) else { return .changed }
                return .opened(session.with(.replayOnly))
            case .replay: return .opened(session.with(.replayOnly))
            }
        }
        throw .busy
    }

    /// The time at which a request was sent: it may have waited for its body since.
    private func sentAt(_ cookies: SessionCookies) -> Timestamp {
        time.now().adding(milliseconds: -(ContinuousClock.now - cookies.began).milliseconds)
    }

    private func decide(_ session: OpenedSession, _ id: String, for use: CookieUse) -> TicketDecision {
        let now = time.now()
        if session.claims.status != .current { known.rotations.note(id, at: now) }
        return session.claims.decide(isFinal: session.rotation(id)?.isFinal ?? true, for: use, at: now)
    }

    /// True if the time of a replaced cookie was over when its request was sent, by whatever clock.
    ///
    /// It was if the request arrived after the rotation and, besides, this process has known of the rotation for
    /// `supersededTicket`, or `readsUntil` is at least `SeenRotations.clockTolerance` in the past. If the rotation is
    /// not final, such a request shows that the browser never received the new cookie.
    private func isSurelyOver(_ rotation: TicketClaims.Rotation, _ cookies: SessionCookies) -> Bool {
        let now = time.now()
        let wait = times.supersededTicket
        let age = (ContinuousClock.now - cookies.began).milliseconds
        guard now.adding(milliseconds: wait.milliseconds - age) >= rotation.readsUntil else { return false }
        return known.rotations.note(rotation.id, at: now) + wait <= now
            || now >= rotation.readsUntil + SeenRotations.clockTolerance
    }
}
