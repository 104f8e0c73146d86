import Basics
import Sessions

extension OpenedSession {
    /// True if a sign-in or a step-up has replaced this ticket of a signed-in user.
    ///
    /// Records that this ticket does not find may exist for the new ticket.
    func isOvertaken(at now: Timestamp) -> Bool {
        claims.isSignedIn && claims.status(at: now) == .superseded
    }

    /// The user record of an instance, as far as this ticket may see it.
    ///
    /// - Throws: `.signedOut` if there is no record; `.sessionChanged` if the record belongs, or may belong, to a
    ///   sign-in that replaced the ticket.
    func user(_ field: String, at now: Timestamp) throws(BFFError) -> UserRecord {
        guard let record = user(field) else { throw isOvertaken(at: now) ? .sessionChanged : .signedOut }
        // rule: a cookie sees no sign-in that came after it
        guard record.epoch <= claims.epoch else { throw .sessionChanged }
        return record
    }
}

extension SessionRecords {
    /// Does work that takes time for an instance, and then reads the user record of the instance.
    ///
    /// If the work finds the instance signed out, the record is still read: a sign-in in another tab may have replaced
    /// the sign-in meanwhile.
    ///
    /// - Parameters:
    ///   - field: The field of the user record.
    ///   - session: The session as it was opened, by a ticket that could act.
    ///   - work: The work that takes time.
    /// - Returns: The session and the user record as they are after the work.
    /// - Throws: `.signedOut` if the session or the tokens of the instance have ended; `.sessionChanged` if a sign-in
    ///   has replaced the ticket and the record is not for this ticket; other errors of the work.
    func user(
        _ field: String, of session: OpenedSession, after work: () async throws(BFFError) -> Void
    ) async throws(BFFError) -> (OpenedSession, UserRecord) {
        var isSignedOut = false
        do throws(BFFError) { try await work() } catch .signedOut { isSignedOut = true }
        let fresh = try await reopen(session)
        let now = environment.now()
        guard let record = fresh.user(field) else {
            throw fresh.claims.status(at: now) == .current ? .signedOut : .sessionChanged
        }
        // rule: a request under way sees no sign-in that came after it
        guard record.epoch <= fresh.claims.epoch else { throw .sessionChanged }
        // rule: tokens that could not be renewed are used while valid
        guard !isSignedOut || record.isValid(at: now) else { throw .signedOut }
        return (fresh, record)
    }
}
