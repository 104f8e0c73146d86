import Basics
import OpenIDConnect
import StorageKit

extension Backend {
    /// Revokes and forgets the instance's tokens; the provider session stays.
    ///
    /// - Returns: No document when the provider took the revocation or there was nothing to revoke; else
    ///   `{"revoked": false, "pending": …}`, where `pending` tells whether it is tried again.
    /// - Throws: `.sessionChanged`, `.storeUnavailable`.
    public func revokeToken(_ name: String, _ context: CallContext) async throws(BFFError) -> Reply {
        let (instance, definition) = try resolve(name)
        guard let session = try await openToEnd(context) else { return Reply() }
        let field = definition.tokenField(instance.account)
        return try await end(session, context, tells: true) { meta in
            Ending(tokens: meta.tokens.filter { $0.field == field }, sessions: [], flows: [])
        }
    }

    /// Signs an instance out (design/sessions.md 7).
    ///
    /// An instance with a token storage of its own in a shared session loses its tokens only. Otherwise, or when
    /// `everything` is said, or when it is the last one, the provider session ends and the tokens of every instance that
    /// shares it. Flows under way go with what they would add to.
    public func logout(
        _ name: String, session everything: Bool, _ context: CallContext
    ) async throws(BFFError) -> Reply {
        let (instance, definition) = try resolve(name)
        guard let session = try await openToEnd(context) else { return Reply() }
        let field = definition.tokenField(instance.account)
        let sessionField = definition.sessionField(instance.account)
        let isOwn = hasOwnTokens(definition)
        let reply = try await end(session, context) { meta in
            let others = meta.tokens.contains { $0.sessionField == sessionField && $0.field != field }
            if isOwn, !everything, others {
                return Ending(
                    tokens: meta.tokens.filter { $0.field == field }, sessions: [],
                    flows: self.flows(in: meta, instance.account) { $0.tokenField("") == definition.tokenField("") })
            }
            return Ending(
                tokens: meta.tokens.filter { $0.sessionField == sessionField || $0.field == field },
                sessions: meta.sessions.filter { $0.field == sessionField },
                flows: self.flows(in: meta, instance.account) { $0.sessionField("") == definition.sessionField("") })
        }
        audit(context, "Signed out", instance, [:])
        return reply
    }

    /// Signs one account out, or, without a name, the whole browser.
    ///
    /// - Parameters:
    ///   - account: The account; empty for the default one, nil for all.
    ///   - context: The request.
    /// - Returns: No document; the cookie goes with the last sign-in.
    /// - Throws: `.sessionChanged`, `.storeUnavailable`.
    public func logoutAll(account: String?, _ context: CallContext) async throws(BFFError) -> Reply {
        guard let session = try await openToEnd(context) else { return Reply([], cookie: .clear) }
        let reply = try await end(session, context) { meta in
            Ending(
                tokens: meta.tokens.filter { account == nil || $0.account == account },
                sessions: meta.sessions.filter { account == nil || $0.account == account },
                flows: meta.flows.filter { account == nil || $0.account == account })
        }
        audit(context, "Signed out", nil, [:])
        return reply
    }

    /// Ends what the client's own limits have ended.
    func endInstance(
        _ session: OpenedSession, _ instance: InstanceName, _ definition: ClientDefinition, _ context: CallContext
    ) async {
        let field = definition.tokenField(instance.account)
        let userField = definition.userField(instance.account)
        let now = time.now()
        _ = try? await end(session, context, only: { $0.user(userField)?.isOver(at: now) ?? true }) { meta in
            Ending(tokens: meta.tokens.filter { $0.field == field }, sessions: [], flows: [])
        }
    }

    /// Ends a provider session and all tokens under it.
    func endShared(
        _ session: OpenedSession, _ sessionField: String, _ context: CallContext
    ) async throws(BFFError) {
        _ = try await end(session, context) { meta in
            Ending(
                tokens: meta.tokens.filter { $0.sessionField == sessionField },
                sessions: meta.sessions.filter { $0.field == sessionField }, flows: [])
        }
        audit(context, "Signed out", nil, ["reason": "account-mismatch"])
    }

    /// Whether a client shares a provider session and has a token storage of its own in it.
    ///
    /// The storage that the clients of a session have in common is the one named like the session's, as by default, or
    /// else the first one in the configuration; any other is somebody's own.
    private func hasOwnTokens(_ definition: ClientDefinition) -> Bool {
        let sharing = clientNames.compactMap { clients[$0] }.filter {
            $0.sessionField("") == definition.sessionField("")
        }
        let common = (sharing.first { $0.tokenStorage == $0.sessionStorage } ?? sharing.first)?.tokenField("")
        return definition.tokenField("") != common
    }

    private func flows(
        in meta: MetaRecord, _ account: String, _ isMeant: (ClientDefinition) -> Bool
    ) -> [MetaRecord.FlowEntry] {
        meta.flows.filter { $0.account == account && clients[$0.client].map(isMeant) ?? true }
    }

    /// A cookie that was replaced a moment ago can still sign out: whoever holds it was here before.
    private func openToEnd(_ context: CallContext) async throws(BFFError) -> OpenedSession? {
        guard let session = try await open(context, [MetaRecord.field], for: .signsOut) else { return nil }
        guard session.claims.standing(at: time.now()) != .replayOnly else { throw .sessionChanged }
        return session
    }
}
