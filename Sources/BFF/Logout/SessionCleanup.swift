import Basics
import StorageKit

/// Ends records of a browser session here, then their counterparts at the provider.
final class SessionCleanup: Sendable {
    let environment: Environment
    let sessions: BrowserSessions
    private let records: SessionRecords
    private let revocations: Revocations

    init(_ sessions: BrowserSessions) {
        environment = sessions.environment
        self.sessions = sessions
        records = sessions.records
        revocations = sessions.revocations
    }

    /// Ends records here, then their counterparts at the provider; a provider that fails does not fail the call.
    ///
    /// What has to be ended is written down before anything is deleted: a process that dies in between leaves a session
    /// whose tokens are revoked, as was asked, and never tokens that nobody remembers.
    ///
    /// - Parameters:
    ///   - session: The session, opened.
    ///   - context: The request.
    ///   - cause: What the audit calls it.
    ///   - condition: Looks at the session as it is when it is changed; nothing happens when it says no.
    ///   - choose: What to end.
    /// - Returns: What became of it at the provider; the cookie goes when nothing is left.
    /// - Throws: `.storeUnavailable`.
    func end(
        _ session: OpenedSession, _ context: CallContext, _ cause: EndCause,
        only condition: @Sendable (OpenedSession) -> Bool = { _ in true },
        _ choose: @Sendable (MetaRecord) -> LogoutScope
    ) async throws(BFFError) -> Reply<RevocationOutcome> {
        do {
            return try await ended(session, context, cause, condition, choose)
        } catch .signedOut {
            // Somebody else ended it.
            return Reply(.ended, cookie: .clear)
        }
    }

    private func ended(
        _ session: OpenedSession, _ context: CallContext, _ cause: EndCause,
        _ condition: @Sendable (OpenedSession) -> Bool, _ choose: @Sendable (MetaRecord) -> LogoutScope
    ) async throws(BFFError) -> Reply<RevocationOutcome> {
        let before = try await records.reopen(session)
        guard condition(before) else { return Reply(.ended) }
        let foreseen = before.meta.map { choose($0).revocable(in: before) } ?? []
        let (jobs, unwritten) = try await revocations.writeDown(foreseen)
        let found: [Revocable]
        let isLast: Bool
        let ended: LogoutScope?
        do {
            (found, isLast, ended) = try await records.edit(session) { fresh, edit throws(EditError) in
                guard var meta = fresh.meta else { return ([], true, nil) }
                guard condition(fresh) else { throw .refused(.sessionChanged) }
                let scope = choose(meta)
                let revocable = scope.revocable(in: fresh)
                scope.apply(to: &meta, &edit)
                try edit.put(MetaRecord.field, meta.encoded)
                let now = self.environment.now()
                return (revocable, !meta.isSignedIn && !meta.flows.contains { now < $0.ends }, scope)
            }
        } catch {
            await revocations.forget(jobs)
            throw error
        }
        // First the mark that keeps late writers out, then the provider; nothing is left to be lost if it fails.
        var failure: BFFError?
        if isLast {
            sessions.anonymous.remove(session.key)
            failure = await destroy(session.key)
        }
        var outcomes = await revocations.carryOut(jobs, context)
        if !unwritten.isEmpty { outcomes += await revocations.tryOnce(unwritten, context) }
        outcomes += await revocations.revoke(found.filter { !foreseen.contains($0) }, context)
        let outcome = RevocationOutcome.all(outcomes)
        for (instance, person) in ended?.signIns ?? [] {
            environment.audit.write(
                cause.event(outcome), context, AuditFacts(session.key, instance, person, reason: cause.reason))
        }
        if let failure { throw failure }
        return Reply(outcome, cookie: isLast ? .clear : .keep)
    }

    private func destroy(_ key: SessionKey) async -> BFFError? {
        var waits = environment.settings.storeRetries[...]
        while true {
            do {
                try await environment.store.destroy(key)
                return nil
            } catch {
                guard let wait = waits.popFirst() else { return BFFError(error) }
                try? await environment.time.sleep(for: wait)
            }
        }
    }

    /// Ends what the client's own limits have ended.
    func endInstance(
        _ session: OpenedSession, _ call: InstanceCall
    ) async {
        let (field, userField) = (call.tokenField, call.userField)
        let now = environment.now()
        _ = try? await end(session, call.context, .limit, only: { $0.user(userField)?.isOver(at: now) ?? true }) {
            meta in
            LogoutScope(tokens: meta.tokens.filter { $0.field == field }, sessions: [], flows: [])
        }
    }

    /// Ends a provider session and all tokens under it.
    func endShared(
        _ session: OpenedSession, _ sessionField: String, _ context: CallContext
    ) async throws(BFFError) {
        _ = try await end(session, context, .otherUser) { meta in
            LogoutScope(
                tokens: meta.tokens.filter { $0.sessionField == sessionField },
                sessions: meta.sessions.filter { $0.field == sessionField }, flows: [])
        }
    }
}
