import Basics
import OpenIDConnect
import StorageKit

extension Backend {
    /// Revokes and forgets the instance's tokens; the provider session stays.
    public func revokeToken(_ name: String, _ context: CallContext) async throws(BFFError) -> Reply {
        let (instance, definition) = try resolve(name)
        guard let session = try await openToEnd(context) else { return Reply() }
        let field = definition.tokenField(instance.account)
        return try await end(session, context) { meta in
            Ending(tokens: meta.tokens.filter { $0.field == field }, sessions: [], flows: [])
        }
    }

    /// Signs an instance out (design/sessions.md 7).
    ///
    /// An instance with a token storage of its own in a shared session loses its tokens only. Otherwise, or when
    /// `everything` is said, or when it is the last one, the provider session ends and the tokens of every instance that
    /// shares it.
    public func logout(
        _ name: String, session everything: Bool, _ context: CallContext
    ) async throws(BFFError) -> Reply {
        let (instance, definition) = try resolve(name)
        guard let session = try await openToEnd(context) else { return Reply() }
        let field = definition.tokenField(instance.account)
        let sessionField = definition.sessionField(instance.account)
        let sharesSession = clients.values.contains {
            $0.sessionField("") == definition.sessionField("") && $0.tokenField("") != definition.tokenField("")
        }
        let reply = try await end(session, context) { meta in
            let others = meta.tokens.filter { $0.sessionField == sessionField && $0.field != field }
            let own = meta.flows(of: instance)
            if sharesSession, !everything, !others.isEmpty {
                return Ending(tokens: meta.tokens.filter { $0.field == field }, sessions: [], flows: own)
            }
            return Ending(
                tokens: meta.tokens.filter { $0.sessionField == sessionField || $0.field == field },
                sessions: meta.sessions.filter { $0.field == sessionField }, flows: own)
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
        _ = try? await end(session, context) { meta in
            Ending(tokens: meta.tokens.filter { $0.field == field }, sessions: [], flows: [])
        }
    }

    /// What a logout ends.
    private struct Ending: Sendable {
        var tokens: [MetaRecord.TokenEntry]
        var sessions: [MetaRecord.SessionEntry]
        var flows: [MetaRecord.FlowEntry]
    }

    /// A cookie that was replaced can still end the session: whoever holds it was signed in a moment ago.
    private func openToEnd(_ context: CallContext) async throws(BFFError) -> OpenedSession? {
        guard let session = try await open(context, [MetaRecord.field]) else { return nil }
        guard session.claims.standing(at: time.now()) != .replayOnly else { throw .sessionChanged }
        return session
    }

    /// Ends records here first, then their counterparts at the provider; a provider that fails does not fail the call.
    private func end(
        _ session: OpenedSession, _ context: CallContext, _ choose: @Sendable (MetaRecord) -> Ending
    ) async throws(BFFError) -> Reply {
        let (obsolete, isLast) = try await edit(session) { fresh, edit throws(EditError) -> ([Obsolete], Bool) in
            guard var meta = fresh.meta else { return ([], true) }
            let ending = choose(meta)
            var obsolete: [Obsolete] = []
            for entry in ending.tokens {
                if let tokens = fresh.record(entry.field) { obsolete.append(.tokens(tokens, entry.client)) }
                edit.delete(entry.field)
                edit.delete(entry.userField)
                meta.tokens.removeAll { $0 == entry }
            }
            for entry in ending.sessions {
                if let session = fresh.record(entry.field) { obsolete.append(.session(session, entry.client)) }
                edit.delete(entry.field)
                meta.sessions.removeAll { $0 == entry }
            }
            for entry in ending.flows {
                edit.delete(FlowRecord.field(entry.id))
                meta.flows.removeAll { $0 == entry }
            }
            try edit.put(MetaRecord.field, meta.encoded)
            return (obsolete, !meta.isSignedIn && meta.flows.isEmpty)
        }
        if isLast {
            do {
                try await store.destroy(session.key)
            } catch {
                throw BFFError(error)
            }
            anonymous.remove(session.key)
        }
        await undo(obsolete, context)
        return Reply([], cookie: isLast ? .clear : .keep)
    }
}
