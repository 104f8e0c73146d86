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

    /// Ends a sign-in whose user was ended, when the end did not find it: here and, because the cookie is at hand, at the
    /// provider; with it all that the session holds of the same provider session, of an authentication that is no later.
    ///
    /// - Throws: `.signedOut`, unless the instance has other tokens meanwhile.
    func endSignIn(_ tokens: TokenSet, _ session: OpenedSession, _ work: Renewal) async throws(BFFError) {
        var session = session
        // Another sign-in may be stored at the same time, which has to outlive this.
        for _ in 0..<8 {
            if try await endOnce(tokens, session, work) {
                environment.audit.write(
                    .refresh(.ended), work.call.context,
                    AuditFacts(session.key, work.call.instance, tokens.person, reason: RenewalEnd.ended.rawValue))
                throw .signedOut
            }
            session = try await records.reopen(session)
            // Another sign-in took the place meanwhile.
            guard let current = session.tokens(work.field) else { throw .signedOut }
            guard current == tokens else { return }
        }
        throw .sessionChanged
    }

    /// One attempt to end a sign-in.
    ///
    /// - Returns: False if the session holds other sign-ins meanwhile.
    private func endOnce(
        _ tokens: TokenSet, _ session: OpenedSession, _ work: Renewal
    ) async throws(BFFError) -> Bool {
        let (field, sessionField) = (work.field, work.call.sessionField)
        let directory = environment.directory
        let names = directory.keys.names(
            issuer: tokens.issuer, subject: tokens.subject, sessionID: tokens.sessionID)
        let fields = directory.fields(endingWith: field, names, in: session)
        let isSame = session.keeps(field)
        do throws(BFFError) {
            _ = try await cleanup.end(
                session, work.call.context, .user,
                only: { isSame($0) && directory.fields(endingWith: field, names, in: $0) == fields }
            ) { meta in
                guard let fields else {
                    return LogoutScope(
                        tokens: meta.tokens.filter { $0.sessionField == sessionField },
                        sessions: meta.sessions.filter { $0.field == sessionField }, flows: [])
                }
                return LogoutScope(
                    tokens: meta.tokens.filter { fields.contains($0.field) },
                    sessions: meta.sessions.filter { fields.contains($0.field) }, flows: [])
            }
            return true
        } catch {
            guard error == .sessionChanged else { throw error }
            return false
        }
    }

    /// Gives the sign-in of renewed tokens the name that its provider session has by now.
    func rename(
        _ renewed: TokenSet, of old: TokenSet, in session: OpenedSession, _ edit: inout SessionEdit, for work: Renewal
    ) throws(EditError) {
        let directory = environment.directory
        func names(_ sessionID: String?) -> SignInNames {
            directory.keys.names(issuer: old.issuer, subject: old.subject, sessionID: sessionID)
        }
        let (former, new) = (names(old.sessionID), names(renewed.sessionID ?? old.sessionID).current)
        let fields = [work.field, work.call.sessionField]
        do throws(StoreError) {
            // rule: a sign-in has the name of its provider session
            try directory.rename(fields, from: former, new, in: session, &edit)
        } catch {
            throw .store(error)
        }
    }
}
