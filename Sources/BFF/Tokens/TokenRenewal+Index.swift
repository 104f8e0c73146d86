import Basics
import OpenIDConnect
import Sessions
import StorageKit

/// The index of sign-ins, which a renewal looks after: see `SignInDirectory`.
extension TokenRenewal {
    /// Enters the sign-in of renewed tokens into the index once more, and looks if it has been ended.
    ///
    /// The entry may be gone, as after a fail-over of the store that lost it, and the provider session may have another
    /// name by now: an end would not find the sign-in. A store that does not do that keeps no tokens from being stored.
    func isEnded(_ renewed: TokenSet, of tokens: TokenSet, _ session: OpenedSession, _ work: Renewal) async -> Bool {
        let directory = environment.directory
        let names = directory.keys.names(
            issuer: tokens.issuer, subject: tokens.subject, sessionID: renewed.sessionID ?? tokens.sessionID)
        let entry = session.meta?.tokens.first { $0.field == work.field }
        let authenticated =
            directory.authenticated(work.field, in: session) ?? entry?.signedInAt ?? environment.now()
        let isEnded = try? await directory.enter(
            names, session.key, ends: session.claims.absoluteEnd, authenticated: authenticated)
        return isEnded ?? false
    }

    /// Gives the sign-in of renewed tokens the name that its provider session has by now.
    func rename(
        _ renewed: TokenSet, of old: TokenSet, in session: OpenedSession, _ edit: inout SessionEdit, for work: Renewal
    ) throws(EditError) {
        // rule: a sign-in has the name of its provider session
        guard let sessionID = renewed.sessionID, sessionID != old.sessionID else { return }
        let directory = environment.directory
        let names = directory.keys.names(issuer: old.issuer, subject: old.subject, sessionID: sessionID)
        do throws(StoreError) {
            try directory.rename(work.field, names, in: session, &edit)
        } catch {
            throw .store(error)
        }
    }
}
