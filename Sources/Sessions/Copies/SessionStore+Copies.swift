import Basics
import StorageKit

/// Reads of a session that a copy may answer; see `SessionCopies`.
extension SessionStore {
    /// The copies of this process.
    package var copies: SessionCopies { known.copies }

    /// Drops the copies that the cookies open.
    package func dropCopies(_ cookies: SessionCookies) {
        for credential in cookies.credentials {
            known.copies.drop(credential.sessionKey, ticket: credential.ticketField)
        }
    }

    /// Begins a read whose reply is to be kept; nil where it is not kept.
    package func beginCopy(_ cookies: SessionCookies) -> SessionCopies.Mark? {
        cookies.session.flatMap { SessionCredential(cookieValue: $0) }
            .flatMap { known.copies.begin($0.sessionKey, at: time.now()) }
    }

    /// Keeps the records of a session that was opened from the store.
    ///
    /// - Parameters:
    ///   - session: The session; nil if the cookie opened none, which drops its copies.
    ///   - fields: The fields that were read besides the ticket.
    ///   - cookies: The cookies of the request.
    ///   - mark: The beginning of the read.
    package func keepCopy(
        _ session: OpenedSession?, _ fields: [String], _ cookies: SessionCookies, _ mark: SessionCopies.Mark?
    ) {
        guard let credential = cookies.session.flatMap({ SessionCredential(cookieValue: $0) }) else { return }
        // rule: only the newest cookie of a signed-in session has a copy
        guard let session, session.credential == credential, isCopied(session) else {
            return known.copies.drop(credential.sessionKey, ticket: credential.ticketField)
        }
        known.copies.keep(session.snapshot, [credential.ticketField] + fields, of: session.key, mark)
    }

    /// Opens the session of the sign-in cookie from a copy; it must not be the base of a write.
    ///
    /// - Returns: Nil without a copy of these fields that is young enough.
    package func openCopy(
        _ cookies: SessionCookies, _ fields: [String], maxAge: Duration
    ) -> OpenedSession? {
        guard let credential = cookies.session.flatMap({ SessionCredential(cookieValue: $0) }) else { return nil }
        let now = time.now()
        let names = [credential.ticketField] + fields
        guard let snapshot = known.copies.copy(credential.sessionKey, names, maxAge: maxAge, at: now),
            let session = try? opened(credential, snapshot, at: now)?.session, isCopied(session)
        else { return nil }
        // rule: a copy of a bound session is opened with its device's proof
        guard isProven(session, by: cookies.device, at: now) else { return nil }
        return session
    }

    private func isCopied(_ session: OpenedSession) -> Bool {
        session.claims.isSignedIn && session.claims.rotation == nil
            && session.claims.status(at: time.now()) == .current
    }
}
