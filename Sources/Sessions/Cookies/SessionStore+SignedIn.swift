import Basics
import StorageKit

extension SessionStore {
    /// True if the cookie is the newest one of a living session in which a user has signed in.
    ///
    /// Changes nothing. It is false if the store does not answer in time, for a replaced cookie, and for a session
    /// without a sign-in, of which any client can get as many as it likes.
    package func isSignedIn(_ cookie: String?) async -> Bool {
        guard let cookie, let credential = SessionCredential(cookieValue: cookie) else { return false }
        let key = FlightKey(session: credential.sessionKey, field: credential.ticketField)
        if known.signIns.has(key, at: time.now()) { return true }
        return await known.signIns.ask(key, time) { [self] in
            guard let session = try? await open(credential, .names([credential.ticketField])) else { return false }
            return session.claims.isSignedIn && session.claims.status(at: time.now()) == .current
        }
    }
}
