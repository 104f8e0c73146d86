import Basics

extension OpenedSession {
    /// Whether a sign-in or a step-up has replaced this ticket of somebody signed in: what it does not find may be there for
    /// the new one.
    func isOvertaken(at now: Timestamp) -> Bool {
        claims.isSignedIn && claims.status(at: now) == .superseded
    }

    /// What is known of the user of an instance, as far as this ticket may see it.
    ///
    /// - Throws: `.signedOut` when there is nothing; `.sessionChanged` when it is of a sign-in that replaced the ticket, or
    ///   may be.
    func user(_ field: String, at now: Timestamp) throws(BFFError) -> UserRecord {
        guard let record = user(field) else { throw isOvertaken(at: now) ? .sessionChanged : .signedOut }
        // rule: a cookie sees no sign-in that came after it
        guard record.epoch <= claims.epoch else { throw .sessionChanged }
        return record
    }
}

extension SessionRecords {
    /// Does something that takes its time for an instance, and reads then what is known of its user.
    ///
    /// That the work finds the instance signed out is not the last word: a sign-in of another tab may have taken its place
    /// meanwhile.
    ///
    /// - Parameters:
    ///   - field: The user record.
    ///   - session: The session as it was opened, by a ticket that acted.
    ///   - work: What takes its time.
    /// - Returns: The session as it is then, and the record.
    /// - Throws: `.signedOut` when the session or the instance's tokens have ended; `.sessionChanged` when a sign-in has
    ///   replaced the ticket and what is there is not for it; what the work throws.
    func user(
        _ field: String, of session: OpenedSession, after work: () async throws(BFFError) -> Void
    ) async throws(BFFError) -> (OpenedSession, UserRecord) {
        var isLost = false
        do throws(BFFError) { try await work() } catch .signedOut { isLost = true }
        let fresh = try await reopen(session)
        let now = environment.now()
        guard let record = fresh.user(field) else {
            throw fresh.claims.status(at: now) == .current ? .signedOut : .sessionChanged
        }
        // rule: a request under way sees no sign-in that came after it
        guard record.epoch <= fresh.claims.epoch else { throw .sessionChanged }
        // rule: tokens that could not be renewed are used while valid
        guard !isLost || record.isValid(at: now) else { throw .signedOut }
        return (fresh, record)
    }
}
