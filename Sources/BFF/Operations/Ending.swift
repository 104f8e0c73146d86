import Basics
import StorageKit

/// What a logout ends.
struct Ending: Sendable {
    var tokens: [MetaRecord.TokenEntry]
    var sessions: [MetaRecord.SessionEntry]
    var flows: [MetaRecord.FlowEntry]

    /// Its counterparts at the provider.
    func obsolete(in session: OpenedSession) -> [Obsolete] {
        tokens.compactMap { entry in session.record(entry.field).map { .tokens($0, entry.client) } }
            + sessions.compactMap { entry in session.record(entry.field).map { .session($0, entry.client) } }
    }

    /// Takes everything out of a session.
    func apply(to meta: inout MetaRecord, _ edit: inout SessionEdit) {
        for entry in tokens {
            edit.delete(entry.field)
            edit.delete(entry.userField)
        }
        for entry in sessions {
            edit.delete(entry.field)
            edit.delete(ProofRecord.field(besides: entry.field))
        }
        for entry in flows { edit.delete(FlowRecord.field(entry.id)) }
        meta.tokens.removeAll { tokens.contains($0) }
        meta.sessions.removeAll { sessions.contains($0) }
        meta.flows.removeAll { flows.contains($0) }
    }
}

extension Backend {
    /// Ends records here, then their counterparts at the provider; a provider that fails does not fail the call.
    ///
    /// What has to be ended is written down before anything is deleted: a process that dies in between leaves a session
    /// whose tokens are revoked, as was asked, and never tokens that nobody remembers.
    ///
    /// - Parameters:
    ///   - session: The session, opened.
    ///   - context: The request.
    ///   - condition: Looks at the session as it is when it is changed; nothing happens when it says no.
    ///   - tells: Gives a document when the provider has not ended everything; else there is none.
    ///   - choose: What to end.
    /// - Returns: The document; the cookie goes when nothing is left.
    /// - Throws: `.storeUnavailable`.
    func end(
        _ session: OpenedSession, _ context: CallContext,
        only condition: @Sendable (OpenedSession) -> Bool = { _ in true }, tells: Bool = false,
        _ choose: @Sendable (MetaRecord) -> Ending
    ) async throws(BFFError) -> Reply {
        do {
            return try await ended(session, context, condition, tells, choose)
        } catch .signedOut {
            // Somebody else ended it.
            return Reply([], cookie: .clear)
        }
    }

    private func ended(
        _ session: OpenedSession, _ context: CallContext, _ condition: @Sendable (OpenedSession) -> Bool,
        _ tells: Bool, _ choose: @Sendable (MetaRecord) -> Ending
    ) async throws(BFFError) -> Reply {
        let before = try await reopen(session)
        guard condition(before) else { return Reply() }
        let foreseen = before.meta.map { choose($0).obsolete(in: before) } ?? []
        let (jobs, unwritten) = try await writeDown(foreseen)
        let found: [Obsolete]
        let isLast: Bool
        do {
            (found, isLast) = try await edit(session) { fresh, edit throws(EditError) in
                guard var meta = fresh.meta else { return ([], true) }
                guard condition(fresh) else { throw .refused(.sessionChanged) }
                let ending = choose(meta)
                let obsolete = ending.obsolete(in: fresh)
                ending.apply(to: &meta, &edit)
                try edit.put(MetaRecord.field, meta.encoded)
                let now = self.time.now()
                return (obsolete, !meta.isSignedIn && !meta.flows.contains { now < $0.ends })
            }
        } catch {
            await revocations.done(jobs)
            throw error
        }
        // First the mark that keeps late writers out, then the provider; nothing is left to be lost if it fails.
        var failure: BFFError?
        if isLast {
            anonymous.remove(session.key)
            failure = await destroy(session.key)
        }
        var fates = await carryOut(jobs, context)
        if !unwritten.isEmpty { fates += await tryOnce(unwritten, context) }
        fates += await undo(found.filter { !foreseen.contains($0) }, context)
        if let failure { throw failure }
        return Reply(tells ? Fate.document(fates) : [], cookie: isLast ? .clear : .keep)
    }

    /// Writes down what has to be ended, before anyone tries to.
    ///
    /// - Returns: The jobs, and what could not be written because the queue is full.
    func writeDown(
        _ obsolete: [Obsolete]
    ) async throws(BFFError) -> (jobs: [RevocationQueue.Job], unwritten: [Obsolete]) {
        do {
            return (try await revocations.add(obsolete), [])
        } catch .full {
            return ([], obsolete)
        } catch {
            throw BFFError(error)
        }
    }

    private func destroy(_ key: SessionKey) async -> BFFError? {
        var waits = settings.storeRetries[...]
        while true {
            do {
                try await store.destroy(key)
                return nil
            } catch {
                guard let wait = waits.popFirst() else { return BFFError(error) }
                try? await Task.sleep(for: wait)
            }
        }
    }
}
