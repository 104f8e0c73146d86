import Basics
import Sessions
import StorageKit

/// Ends records of a browser session here, then the tokens and sessions at the provider.
final class SessionCleanup: Sendable {
    let environment: Environment
    let sessions: BrowserSessions
    private let records: SessionRecords
    private let revocations: Revocations

    /// The outcome at the provider, once it is known.
    typealias Ending = Task<RevocationOutcome, Never>

    /// The tokens and sessions that have to end at the provider, with the revocations that are stored for them.
    private struct Written {
        var items: [Revocable] = []
        var down = WrittenDown()
        /// True if it is unknown whether a commit that deletes the records took effect.
        var mayBeDeleted = false
    }

    /// The result of an edit that ends records.
    private enum Edited {
        /// The records were deleted, and with the last of them the session `last`; `waiting` are revocations that were
        /// held for confirmations which cannot come any more.
        case ended(LogoutScope?, last: OpenedSession?, waiting: [RevocationQueue.Job])
        /// There are more tokens or sessions to end than were stored; nothing was changed.
        case found([Revocable])
        /// The condition does not hold any more; nothing was changed.
        case unmet
    }

    init(_ sessions: BrowserSessions) {
        environment = sessions.environment
        self.sessions = sessions
        records = sessions.records
        revocations = sessions.revocations
    }

    /// Ends records here in one commit, and the session with the last of them.
    ///
    /// The tokens and sessions at the provider end afterwards, in the background: an answer that removes the cookie
    /// must not wait for a provider.
    ///
    /// The revocations are stored before anything is deleted: a process that dies in between leaves a session whose
    /// tokens are revoked, as was asked, and never tokens that no record names. The stored revocations are dropped only
    /// when it is certain that nothing was deleted.
    ///
    /// - Parameters:
    ///   - session: The session, opened.
    ///   - context: The request.
    ///   - cause: The cause, for the audit.
    ///   - condition: Checks the session as it is when it is changed; if false, nothing is ended.
    ///   - choose: Returns the records to end.
    /// - Returns: The outcome at the provider; the cookie is removed when no sign-in and no flow is left.
    /// - Throws: `.sessionChanged` when the condition does not hold; `.storeUnavailable`.
    func end(
        _ session: OpenedSession, _ context: CallContext, _ cause: EndCause,
        only condition: @Sendable (OpenedSession) -> Bool = { _ in true },
        _ choose: @Sendable (MetaRecord) -> LogoutScope
    ) async throws(BFFError) -> Reply<Ending> {
        var written = Written()
        do throws(BFFError) {
            let before = try await records.reopen(session)
            // rule: an ending looks at its condition first
            guard condition(before) else { throw BFFError.sessionChanged }
            try await write(before.meta.map { choose($0).revocable(in: before) } ?? [], &written)
            while true {
                switch try await edit(session, &written, condition, choose) {
                case .found(let more): try await write(more, &written)
                case .unmet:
                    if !written.mayBeDeleted { await revocations.forget(written.down.jobs) }
                    throw BFFError.sessionChanged
                case .ended(let scope, let last, let waiting):
                    written.down.jobs += waiting
                    if let last { forget(last) }
                    for (instance, _) in scope?.signIns ?? [] {
                        environment.work.sessions.ends.note(session.key, instance, cause.endReason)
                    }
                    let ending = carryOut(written, scope: scope, of: session.key, context, because: cause)
                    return Reply(ending, cookie: last != nil ? .clear : .keep)
                }
            }
        } catch .signedOut {
            // Another request ended it, and queued what was left of it by then.
            return Reply(carryOut(written, scope: nil, of: session.key, context, because: cause), cookie: .clear)
        }
    }

    /// Removes what names a session that has ended; no answer waits for it.
    private func forget(_ session: OpenedSession) {
        environment.work.sessions.anonymous.remove(session.key)
        environment.work.background.begin { [environment] in await environment.directory.forget(session) }
    }

    /// Stores revocations for more tokens and sessions.
    private func write(_ items: [Revocable], _ written: inout Written) async throws(BFFError) {
        let more = try await revocations.writeDown(items)
        written.items += items
        written.down.jobs += more.jobs
        written.down.unwritten += more.unwritten
    }

    private func edit(
        _ session: OpenedSession, _ written: inout Written, _ condition: @Sendable (OpenedSession) -> Bool,
        _ choose: @Sendable (MetaRecord) -> LogoutScope
    ) async throws(BFFError) -> Edited {
        try await records.edit(session) { fresh, edit throws(EditError) in
            if edit.followsUnknown { written.mayBeDeleted = true }
            guard let meta = fresh.meta else {
                edit.delete(MetaRecord.field)
                edit.endsSession = true
                return .ended(nil, last: fresh, waiting: [])
            }
            // rule: an ending looks at its condition when it is written
            guard condition(fresh) else { return .unmet }
            let scope = choose(meta)
            let rest = scope.rest(of: meta)
            let now = self.environment.now()
            let isLast = !rest.isSignedIn && !rest.flows.contains { now < $0.ends }
            let before = fresh.rotations
            var changes = before
            var revocable = scope.revocable(in: fresh)
            for id in changes.keys { revocable += changes[id]?.end(isLast ? nil : scope.fields, in: fresh) ?? [] }
            let found = revocable.filter { !written.items.contains($0) }
            guard found.isEmpty else { return .found(found) }
            scope.apply(to: &edit)
            for (id, change) in changes where change != before[id] {
                try edit.put(
                    RotationRecord.field(id), change.encoded, expires: change.isFinal ? change.readsUntil : nil)
            }
            for flow in fresh.signInsTold where !self.isSignedIn(flow.instance, rest) {
                edit.delete(FlowRecord.field(flow.id))
            }
            try edit.put(MetaRecord.field, rest.encoded)
            edit.endsSession = isLast
            return .ended(scope, last: isLast ? fresh : nil, waiting: self.held(scope.flows, in: fresh))
        }
    }

    /// The revocations of sign-ins that wait in these flows for a confirmation.
    private func held(_ flows: [MetaRecord.FlowEntry], in session: OpenedSession) -> [RevocationQueue.Job] {
        flows.flatMap { entry in
            session.flow(entry.id)?.unconfirmed?.jobs(entry.client, revocations.queue) ?? []
        }
    }

    private func isSignedIn(_ instance: InstanceName, _ meta: MetaRecord) -> Bool {
        let field = environment.clients[instance.client]?.tokenField(instance.account)
        return meta.tokens.contains { $0.field == field }
    }

    /// Ends tokens and sessions at their providers in the background, then writes the outcome to the audit.
    private func carryOut(
        _ written: Written, scope: LogoutScope?, of key: SessionKey, _ context: CallContext, because cause: EndCause
    ) -> Ending {
        environment.work.background.begin { [revocations, environment] in
            let outcome = RevocationOutcome.all(await revocations.carryOut(written.down, context))
            for (instance, person) in scope?.signIns ?? [] {
                environment.audit.write(
                    cause.event(outcome), context, AuditFacts(key, instance, person, reason: cause.reason))
            }
            return outcome
        }
    }

    /// Ends the tokens of an instance whose client's own limits are over.
    func endInstance(
        _ session: OpenedSession, _ call: InstanceCall
    ) async {
        let (field, userField) = (call.tokenField, call.userField)
        let now = environment.now()
        let isAbsolute = session.user(userField)?.limitEnd.map { now >= $0 } ?? false
        // Of a client without limits the provider has said that its session is over.
        // rule: after the provider's end of a session there is no silent sign-in | nil
        let staysOut = isAbsolute && !call.client.isElevated ? field : nil
        _ = try? await end(
            session, call.context, .limit(isAbsolute ? .absolute : .idle),
            only: { $0.user(userField)?.isOver(at: now) ?? true }
        ) {
            meta in
            LogoutScope(
                tokens: meta.tokens.filter { $0.field == field }, sessions: [], flows: [], staysOut: staysOut)
        }
    }

    /// Ends a provider session alone, which gives no tokens any more.
    ///
    /// - Throws: `.sessionChanged` when a sign-in replaced the session meanwhile; `.storeUnavailable`.
    func endProviderSession(
        _ session: OpenedSession, _ field: String, because cause: EndCause, _ context: CallContext
    ) async throws(BFFError) {
        _ = try await end(session, context, cause, only: session.keeps(field)) { meta in
            LogoutScope(tokens: [], sessions: meta.sessions.filter { $0.field == field }, flows: [])
        }
    }

    /// Ends the provider session that was used and all tokens under it.
    ///
    /// - Throws: `.sessionChanged` when a sign-in replaced the session meanwhile; `.storeUnavailable`.
    func endShared(
        _ session: OpenedSession, _ sessionField: String, _ context: CallContext
    ) async throws(BFFError) {
        _ = try await end(session, context, .otherUser, only: session.keeps(sessionField)) { meta in
            LogoutScope(
                tokens: meta.tokens.filter { $0.sessionField == sessionField },
                sessions: meta.sessions.filter { $0.field == sessionField }, flows: [])
        }
    }
}

extension OpenedSession {
    /// A condition that is true of the session at a later time if a record is the same as now or gone, but was not
    /// replaced.
    func keeps(_ field: String) -> @Sendable (OpenedSession) -> Bool {
        let used = record(field)
        return { [used, nil].contains($0.record(field)) }
    }
}
