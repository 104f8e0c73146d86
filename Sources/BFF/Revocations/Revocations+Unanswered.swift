import Basics
import Logs
import Sessions
import StorageKit

/// Commits whose response from the store is missing.
///
/// Tokens and provider sessions that such a commit brought or replaced are neither ended nor forgotten before the store
/// has told the outcome of the commit.
extension Revocations {
    /// The result of an edit; an edit with an unknown outcome is remembered until the store tells the outcome.
    ///
    /// - Parameters:
    ///   - edited: The outcome of the edit, as far as it is known.
    ///   - brought: The items to end at the provider if the edit turns out not to be stored.
    ///   - replaced: The items to end there if it turns out to be stored.
    ///   - audited: The audit event to write if it turns out to be stored.
    ///   - context: The request.
    /// - Returns: The result of the edit that is stored.
    /// - Throws: `.storeUnavailable` if the outcome is unknown; `.signedOut` if it will stay so, because the session has
    ///   ended.
    func result<Result>(
        of edited: EditOutcome<Result>, brought: [Revocable], replaced: (Result) -> [Revocable],
        audited: (event: AuditEvent, facts: AuditFacts)?, _ context: CallContext
    ) throws(BFFError) -> Result {
        switch edited {
        case .done(let result, _): return result
        case .unknown(let sent, let isOver):
            guard let session = sent.first?.edit.key else { throw BFFError(StoreError.unavailable) }
            remember(
                UnansweredCommit(
                    sent: SentCommit(session: session, attempts: sent.map(\.edit.writes)),
                    replaced: sent.map { replaced($0.result) }, brought: brought, audited: audited,
                    context: context.withoutCookie))
            guard isOver else { throw BFFError(StoreError.unavailable) }
            // The store answers, so nothing has to wait in this memory.
            environment.work.background.begin { [self] in
                let jobs = await settleUnanswered(until: .now + environment.settings.endingPatience)
                carryOutInBackground(WrittenDown(jobs: jobs), context.withoutCookie)
            }
            throw .signedOut
        }
    }

    private func remember(_ commit: UnansweredCommit) {
        guard environment.work.unanswered.add(commit) else { return }
        environment.logger.error(
            "Too many commits have no answer of the store; what one of them brought is not ended at the provider")
    }

    /// Waits until all background tasks have ended, after asking once more for the outcomes of unanswered commits.
    func settled() async {
        let deadline = ContinuousClock.now + environment.settings.endingPatience
        let jobs = await settleUnanswered(until: deadline)
        carryOutInBackground(
            WrittenDown(jobs: jobs), CallContext(cookie: nil, deadline: deadline, requestID: "revocation", began: .now))
        await environment.work.background.settled()
        await environment.work.sessions.copies.settled()
    }

    /// Asks the store for the outcomes of unanswered commits, and queues the items that have to be ended at providers
    /// because of them.
    ///
    /// If the store does not answer for one commit, it is not asked for the others either, and that commit comes last
    /// the next time.
    ///
    /// - Returns: The jobs that were queued; the next round does them.
    @discardableResult
    func settleUnanswered(until deadline: ContinuousClock.Instant) async -> [RevocationQueue.Job] {
        var jobs: [RevocationQueue.Job] = []
        var commits = environment.work.unanswered.take()[...]
        while let commit = commits.popFirst() {
            do {
                guard ContinuousClock.now < deadline else { throw StoreError.unavailable }
                let ended: [Revocable]
                switch try await commit.sent.settle(in: environment.store) {
                case .stored(let attempt):
                    if let (event, facts) = commit.audited { environment.audit.write(event, commit.context, facts) }
                    ended = commit.replaced[attempt]
                case .absent: ended = commit.brought
                case .ended:
                    // It is unknown whether the commit was stored: both what it brought and what it replaced is ended.
                    ended = commit.brought + commit.replaced.flatMap(\.self)
                case .open:
                    remember(commit)
                    continue
                }
                let written = (try? await writeDown(ended)) ?? WrittenDown(unwritten: ended)
                jobs += written.jobs
                carryOutInBackground(WrittenDown(unwritten: written.unwritten), commit.context)
            } catch {
                for commit in commits + [commit] { remember(commit) }
                return jobs
            }
        }
        return jobs
    }
}
