import Basics
import Logs
import StorageKit

/// Commits without an answer: nothing that they brought is ended, and nothing forgotten, before the store has said what they
/// came to.
extension Revocations {
    /// What an edit came to; one of which nobody knows whether it is stored is remembered until the store says it.
    ///
    /// - Parameters:
    ///   - edited: What is known of the edit.
    ///   - brought: What has to be ended at the provider if it is not stored.
    ///   - replaced: What has to be ended there if it is.
    ///   - told: What the audit says when it turns out to be stored.
    ///   - context: The request.
    /// - Returns: The result of the edit that is stored.
    /// - Throws: `.storeUnavailable` when nobody knows.
    func result<Result>(
        of edited: EditOutcome<Result>, brought: [Revocable], replaced: (Result) -> [Revocable],
        told: (event: AuditEvent, facts: AuditFacts)?, _ context: CallContext
    ) throws(BFFError) -> Result {
        switch edited {
        case .done(let result, _): return result
        case .unknown(let sent):
            guard let session = sent.first?.edit.key else { throw BFFError(StoreError.unavailable) }
            remember(
                UnansweredCommit(
                    session: session,
                    attempts: sent.map { .init(writes: $0.edit.writes, replaced: replaced($0.result)) },
                    brought: brought, told: told, context: context.withoutCookie))
            throw BFFError(StoreError.unavailable)
        }
    }

    private func remember(_ commit: UnansweredCommit) {
        guard environment.work.unanswered.add(commit) else { return }
        environment.logger.error(
            "Too many commits have no answer of the store; what one of them brought is not ended at the provider")
    }

    /// Waits until nothing goes on after answers; commits without an answer are asked for once more.
    func settled() async {
        let deadline = ContinuousClock.now + environment.settings.endingPatience
        let jobs = await settleUnanswered(until: deadline)
        carryOutAfterwards(
            WrittenDown(jobs: jobs), CallContext(cookie: nil, deadline: deadline, requestID: "revocation", began: .now))
        await environment.work.afterwards.settled()
    }

    /// Asks the store what became of commits without an answer, and writes down what has to end at providers for it.
    ///
    /// A store that does not say it of one commit is not asked for the others either; that one comes last the next time.
    ///
    /// - Returns: What is written down; the next round does it.
    @discardableResult
    func settleUnanswered(until deadline: ContinuousClock.Instant) async -> [RevocationQueue.Job] {
        var jobs: [RevocationQueue.Job] = []
        var commits = environment.work.unanswered.take()[...]
        while let commit = commits.popFirst() {
            do {
                guard ContinuousClock.now < deadline else { throw StoreError.unavailable }
                let ended: [Revocable]
                switch try await outcome(of: commit) {
                case .stored(let attempt):
                    if let (event, facts) = commit.told { environment.audit.write(event, commit.context, facts) }
                    ended = attempt.replaced
                case .absent: ended = commit.brought
                case .ended: ended = commit.brought + commit.attempts.flatMap(\.replaced)
                case .open:
                    remember(commit)
                    continue
                }
                let written = (try? await writeDown(ended)) ?? WrittenDown(unwritten: ended)
                jobs += written.jobs
                carryOutAfterwards(WrittenDown(unwritten: written.unwritten), commit.context)
            } catch {
                for commit in commits + [commit] { remember(commit) }
                return jobs
            }
        }
        return jobs
    }

    /// What a commit came to; `.open` while others are faster than this question.
    ///
    /// One that is not there may still take effect. So the table of contents is written again as it is, under the revision
    /// that the commit goes by: the store lets only one of them find it.
    ///
    /// - Throws: `.unavailable` when the store did not say it.
    private func outcome(of commit: UnansweredCommit) async throws(StoreError) -> UnansweredCommit.Outcome {
        for _ in 0..<8 {
            let snapshot = try await environment.store.read(commit.session, .all)
            let outcome = commit.outcome(in: snapshot)
            guard case .open = outcome, let meta = snapshot[MetaRecord.field] else { return outcome }
            let same = FieldWrite.set(MetaRecord.field, meta.value, expected: .revision(meta.revision))
            do {
                try await environment.store.commit(commit.session, .update(writes: [same]))
                return .absent
            } catch .conflict {
                continue
            } catch .gone {
                return .ended
            }
        }
        return .open
    }
}
