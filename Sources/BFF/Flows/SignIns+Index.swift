import Basics
import OpenIDConnect
import Orchestrate
import Sessions
import StorageKit

/// Sign-ins in the index, by which they are found and ended without their cookies: see `SignInDirectory`.
extension SignIns {
    /// Enters a sign-in into the index before it is stored, and checks that it was not ended since the user
    /// authenticated.
    ///
    /// - Throws: `.refused(.signInEnded)`; `.store`: a sign-in that no logout of its provider would find is not stored.
    func enter(
        _ plan: SignInPlan, _ names: SignInNames, _ session: SessionKey, as opened: OpenedSession?
    ) async throws(EditError) {
        let isEnded: Bool
        do throws(StoreError) {
            isEnded = try await environment.directory.enter(
                names, session, ends: opened?.claims.absoluteEnd, authenticated: authenticated(plan, in: opened))
        } catch {
            throw .store(error)
        }
        // rule: a sign-in is not stored after the end of its user
        if isEnded { throw .refused(.signInEnded) }
    }

    /// Writes the parts of a sign-in into the list of its session; without `tokens`, only its provider session.
    func list(
        _ plan: SignInPlan, tokens: Bool = true, _ meta: MetaRecord, _ session: OpenedSession?,
        _ edit: inout SessionEdit
    ) throws(EditError) {
        let now = environment.now()
        var fields: [[String]] = tokens ? [[plan.tokenField, plan.userField]] : []
        if session.map({ !plan.keepsSession(of: $0) }) ?? true {
            fields.append([plan.sessionField, ProofRecord.field(besides: plan.sessionField)])
        }
        let (names, authenticated) = (names(of: plan).current, authenticated(plan, in: session))
        let parts = fields.map { fields in
            SignInList.Part(
                fields: fields, instance: plan.call.instance, names: names, authenticated: authenticated,
                signedInAt: now)
        }
        let device = DeviceWords.words(plan.call.context.caller.browser.userAgent)
        do throws(StoreError) {
            try environment.directory.put(parts, device: device, in: meta, of: session, &edit)
        } catch {
            throw .store(error)
        }
    }

    /// The names of a sign-in in the index: MACs, which are made once for all that a sign-in does with them.
    func names(of plan: SignInPlan) -> SignInNames {
        let tokens = plan.signIn.tokens
        return environment.directory.keys.names(
            issuer: tokens.issuer, subject: tokens.subject, sessionID: tokens.sessionID)
    }

    /// The time at which the user authenticated, as the provider said, and at most now.
    ///
    /// If it did not say, the user may have authenticated at any time since the flow began; where the provider session
    /// alone brought the tokens, the user authenticated when that was made.
    private func authenticated(_ plan: SignInPlan, in session: OpenedSession?) -> Timestamp {
        var unstated = plan.begun
        // rule: a silent sign-in is as old as its provider session
        if plan.isSilent, let session {
            unstated = environment.directory.authenticated(plan.sessionField, in: session) ?? unstated
        }
        return min(plan.signIn.tokens.authTime ?? unstated, environment.now())
    }
}
