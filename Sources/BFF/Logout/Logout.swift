import Basics
import Sessions
import StorageKit

/// Signs instances, accounts and browsers out, and revokes tokens.
final class Logout: Sendable {
    private let environment: Environment
    private let cleanup: SessionCleanup

    init(_ cleanup: SessionCleanup) {
        environment = cleanup.environment
        self.cleanup = cleanup
    }

    /// Revokes and forgets the instance's tokens; the provider session stays.
    ///
    /// - Returns: The outcome at the provider; `.ended` also when there was nothing to revoke.
    /// - Throws: `.sessionChanged`, `.storeUnavailable`.
    func revokeToken(_ name: String, _ context: CallContext) async throws(BFFError) -> Reply<RevocationOutcome> {
        let field = try environment.call(name, context).tokenField
        guard let session = try await openToEndPart(context) else { return Reply(.ended) }
        let reply = try await cleanup.end(session, context, .revocation, only: mayEndPart(session)) { meta in
            LogoutScope(tokens: meta.tokens.filter { $0.field == field }, sessions: [], flows: [], staysOut: field)
        }
        // The answer reports the outcome and so waits for the provider. It does not change the cookie: an answer that
        // removes it late would remove the cookie of a sign-in made meanwhile.
        return Reply(await reply.content.value)
    }

    /// Signs an instance out; a sign-in in flight is ended, not waited for.
    ///
    /// An instance with a token storage of its own in a shared session loses only its tokens. But if `everything` is
    /// set, or the instance is the last one, the provider session ends, with the tokens of every instance that shares
    /// it. Flows end if their sign-in would use the storages that end.
    ///
    /// - Throws: `.sessionChanged`, `.storeUnavailable`.
    func logout(
        _ name: String, session everything: Bool, _ context: CallContext
    ) async throws(BFFError) -> CookieChange {
        let call = try environment.call(name, context)
        guard let session = try await openToEndPart(context) else { return .keep }
        let (field, sessionField) = (call.tokenField, call.sessionField)
        let isOwn = hasOwnTokens(call.client)
        let reply = try await cleanup.end(session, context, .logout, only: mayEndPart(session)) { meta in
            let others = meta.tokens.contains { $0.sessionField == sessionField && $0.field != field }
            if isOwn, !everything, others {
                return LogoutScope(
                    tokens: meta.tokens.filter { $0.field == field }, sessions: [],
                    flows: self.flows(in: meta, call) { $0.tokenField("") == call.client.tokenField("") },
                    staysOut: field)
            }
            return LogoutScope(
                tokens: meta.tokens.filter { $0.sessionField == sessionField || $0.field == field },
                sessions: meta.sessions.filter { $0.field == sessionField },
                flows: self.flows(in: meta, call) { $0.sessionField("") == call.client.sessionField("") })
        }
        return reply.cookie
    }

    /// Signs one account out, or, without a name, the whole browser.
    ///
    /// - Parameters:
    ///   - account: The account; empty for the default one, nil for all.
    ///   - context: The request.
    /// - Returns: The change of the cookie, which is removed with the last sign-in.
    /// - Throws: `.storeUnavailable`; with an account also `.sessionChanged`.
    func logoutAll(account: String?, _ context: CallContext) async throws(BFFError) -> CookieChange {
        let opened = account == nil ? try await openToEnd(context) : try await openToEndPart(context)
        guard let session = opened else { return .clear }
        // This cookie has nothing left that could be ended; the browser may have the cookie that replaced it by now.
        // rule: a dead cookie signs no browser out
        guard !isDead(session) else { return .keep }
        var condition: @Sendable (OpenedSession) -> Bool = { _ in true }
        if account != nil { condition = mayEndPart(session) }
        let reply = try await cleanup.end(session, context, .logout, only: condition) { meta in
            LogoutScope(
                tokens: meta.tokens.filter { account == nil || $0.account == account },
                sessions: meta.sessions.filter { account == nil || $0.account == account },
                flows: meta.flows.filter { account == nil || $0.account == account })
        }
        return reply.cookie
    }

    /// True if a client shares a provider session and has a token storage of its own in it.
    ///
    /// The common token storage of the clients that share a session is the one with the session's name, as by default,
    /// or else that of the first client in the configuration; any other belongs to its own clients.
    private func hasOwnTokens(_ client: ClientDefinition) -> Bool {
        let sharing = environment.clientsInOrder.filter { $0.sessionField("") == client.sessionField("") }
        let common = (sharing.first { $0.tokenStorage == $0.sessionStorage } ?? sharing.first)?.tokenField("")
        return client.tokenField("") != common
    }

    private func flows(
        in meta: MetaRecord, _ call: InstanceCall, _ isMeant: (ClientDefinition) -> Bool
    ) -> [MetaRecord.FlowEntry] {
        meta.flows.filter { entry in
            entry.account == call.instance.account && environment.clients[entry.client].map(isMeant) ?? true
        }
    }

    /// Opens the session to end all of it; a cookie that was replaced a moment ago may do that, because its browser had
    /// the session before.
    private func openToEnd(_ context: CallContext) async throws(BFFError) -> OpenedSession? {
        try await cleanup.sessions.open(context, [MetaRecord.field], for: .endsSession)
    }

    /// Opens the session to end a part of it, which a replaced cookie cannot do.
    ///
    /// The sign-in in between may have stored the part anew, under a cookie that is on its way to the browser. The
    /// request repeated with the new cookie ends the part as it is then, and undoes nothing else.
    ///
    /// - Throws: `.sessionChanged` for a replaced cookie; `.storeUnavailable`.
    private func openToEndPart(_ context: CallContext) async throws(BFFError) -> OpenedSession? {
        let session = try await cleanup.sessions.open(context, [MetaRecord.field], for: .endsPart)
        // rule: a cookie that was replaced ends no part of a session
        if let session, !mayEndPart(session)(session) { throw .sessionChanged }
        return session
    }

    /// A condition that is true of the session at a later time if its cookie was not replaced, so that no newer part is
    /// ended.
    private func mayEndPart(_ session: OpenedSession) -> @Sendable (OpenedSession) -> Bool {
        // A cookie whose change was undone has no ticket any more, and the sign-in that it was given for is gone.
        let isUndone = session.claims.status != .current && session.claims.rotation == nil
        return { [environment] in isUndone || $0.claims.status(at: environment.now()) == .current }
    }

    private func isDead(_ session: OpenedSession) -> Bool {
        session.claims.status(at: environment.now()) == .replayOnly
    }
}
