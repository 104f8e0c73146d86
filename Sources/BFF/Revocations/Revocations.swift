import Basics
import Logs
import OpenIDConnect
import Orchestrate
import Sessions
import StorageKit

/// Ends tokens and provider sessions at their providers: they are queued first, then ended, and retried if a provider
/// fails.
final class Revocations: Sendable {
    let environment: Environment
    let queue: RevocationQueue
    private let pauses: RevocationPauses

    init(_ environment: Environment, _ keys: ServerKeys) {
        self.environment = environment
        queue = RevocationQueue(
            store: environment.store, keys: keys, time: environment.time, keep: environment.settings.revocations,
            logger: environment.logger)
        pauses = RevocationPauses(environment.time)
    }

    /// Puts items that have to be ended into the queue, before ending them is tried.
    ///
    /// - Throws: `.storeUnavailable`; a full queue is no error.
    func writeDown(_ revocable: [Revocable]) async throws(BFFError) -> WrittenDown {
        do {
            return WrittenDown(jobs: try await queue.add(revocable, of: environment.clients))
        } catch .full {
            return WrittenDown(unwritten: revocable)
        } catch {
            throw BFFError(error)
        }
    }

    /// Removes jobs from the queue without doing them.
    func forget(_ jobs: [RevocationQueue.Job]) async {
        await queue.done(jobs)
    }

    /// Ends items at their providers: returns once all are queued, ends them in the background, and retries later on
    /// failure.
    func revokeInBackground(_ revocable: [Revocable], _ context: CallContext) async {
        guard !revocable.isEmpty else { return }
        let written = (try? await writeDown(revocable)) ?? WrittenDown(unwritten: revocable)
        carryOutInBackground(written, context)
    }

    /// Tries, in the background, the items that are queued and those that could not be queued.
    func carryOutInBackground(_ written: WrittenDown, _ context: CallContext) {
        guard !written.jobs.isEmpty || !written.unwritten.isEmpty else { return }
        environment.work.background.begin { [self] in await carryOut(written, context) }
    }

    /// Tries the queued items for a few seconds, and then those that could not be queued.
    ///
    /// Items that a provider fails to end stay in the queue.
    @discardableResult
    func carryOut(_ written: WrittenDown, _ context: CallContext) async -> [RevocationOutcome] {
        var outcomes: [RevocationOutcome] = []
        if !written.jobs.isEmpty {
            let tried = await inWaves(written.jobs, \.item) { job, deadline in
                (job, await self.end(job.item, deadline, context))
            }
            await queue.done(tried.filter { $0.1 != .pending }.map(\.0))
            outcomes = tried.map(\.1)
        }
        return written.unwritten.isEmpty ? outcomes : outcomes + (await tryOnce(written.unwritten, context))
    }

    /// Tries once the items that could not be queued.
    func tryOnce(_ revocable: [Revocable], _ context: CallContext) async -> [RevocationOutcome] {
        environment.log(context).error("Revocations could not be written down; they are tried once")
        let outcomes = await inWaves(revocable, \.self) { item, deadline in await self.end(item, deadline, context) }
        return outcomes.map { $0 == .pending ? .impossible : $0 }
    }

    /// Works on the tokens first, then on the provider sessions that they came from (docs/protocol.md, 'Sessions').
    private func inWaves<Element: Sendable, Result: Sendable>(
        _ all: [Element], _ item: (Element) -> Revocable,
        _ work: @escaping @Sendable (Element, ContinuousClock.Instant) async -> Result
    ) async -> [Result] {
        var results: [Result] = []
        for wave in [all.filter { item($0).isTokens }, all.filter { !item($0).isTokens }] {
            let deadline = ContinuousClock.now + environment.settings.endingPatience / 2
            await withTaskGroup(of: Result.self) { group in
                for element in wave { group.addTask { await work(element, deadline) } }
                for await result in group { results.append(result) }
            }
        }
        return results
    }

    /// Retries the items that providers failed to end; the server calls this at intervals and after new settings.
    ///
    /// A client whose provider fails is left alone for a pause that grows: `RevocationPauses`. If the time is over, the
    /// next round begins where this one stopped. A hash that cannot be read does not keep the others from being tried.
    func retry(_ deadline: ContinuousClock.Instant) async {
        await settleUnanswered(until: deadline)
        do {
            guard let lease = try await environment.store.claim("revocations", for: .seconds(60)) else { return }
            var isReadable = true
            for place in queue.places {
                do {
                    guard try await retry(at: place, deadline) else {
                        queue.stop(at: place)
                        break
                    }
                } catch {
                    isReadable = false
                }
            }
            if !isReadable { environment.logger.warning("Revocations could not be read") }
            try await environment.store.release(lease)
        } catch {
            environment.logger.warning("Revocations could not be claimed")
        }
    }

    /// Retries the jobs in one hash.
    ///
    /// - Returns: True if the time sufficed.
    private func retry(at place: Int, _ deadline: ContinuousClock.Instant) async throws(StoreError) -> Bool {
        guard ContinuousClock.now < deadline else { return false }
        let context = CallContext(cookie: nil, deadline: deadline, requestID: "revocation", began: .now)
        for job in try await queue.waiting(at: place) where pauses.isDue(job.item.client) {
            let limit = min(deadline, ContinuousClock.now + environment.settings.endingPatience)
            guard ContinuousClock.now < deadline, !Task.isCancelled else { return false }
            // A server of a later version revokes them; here they must not make others wait.
            // rule: what this version cannot revoke is no failure of the provider
            if job.item.isOfLaterVersion { continue }
            guard try await queue.isFree(job) else { continue }
            if await end(job.item, limit, context) == .pending {
                // A provider that does not answer must not use up the time of the others.
                pauses.failed(job.item.client)
            } else {
                await queue.done([job])
            }
        }
        return true
    }

    private func end(_ item: Revocable, _ deadline: ContinuousClock.Instant, _ context: CallContext) async
        -> RevocationOutcome
    {
        guard let client = environment.clients[item.client] else {
            // Another process may have the client, for example while settings are changed on one process after the
            // other, and so may the next settings.
            if pauses.shouldLog(item.client) {
                environment.log(context).error(
                    "A revocation is of a client that is gone from the configuration; it waits")
            }
            return .pending
        }
        var caller = context.caller
        // The request may have little time left, or its caller may be gone: a revocation is worth some more time.
        caller.deadline = min(deadline, ContinuousClock.now + client.timeout)
        do {
            switch item {
            case .tokens(let bytes, _):
                // rule: what a later version has stored waits for it
                if item.isOfLaterVersion { return .pending }
                guard let tokens = try? TokenSet(decoding: bytes) else { return .impossible }
                try await client.tokens.revoke(tokens, deadline: caller.deadline)
            case .session(let bytes, _):
                try await client.flows.endSession(bytes, caller)
            }
            // The end of a provider session tells nothing about tokens, because ending it needs no client secret.
            if item.isTokens { pauses.succeeded(client.name) }
            return .ended
        } catch {
            return outcome(after: error, client, context)
        }
    }

    /// The outcome for an item after a failure; an operator's mistake is `.pending`, so that tokens can still be
    /// revoked after it.
    private func outcome(after failure: TokenError, _ client: ClientDefinition, _ context: CallContext)
        -> RevocationOutcome
    {
        var metadata: Logger.Metadata = ["client": .string(client.name)]
        if let check = failure.check { metadata["check"] = .string(check) }
        switch failure {
        case .invalidGrant, .sessionEnded:
            return .ended
        case .unavailable:
            if pauses.shouldLog(client.name) {
                environment.log(context).warning(
                    "The provider did not take a revocation; it is tried again", metadata: metadata)
            }
            return .pending
        case .unknownClient:
            if pauses.shouldLog(client.name) {
                environment.log(context).warning(
                    "The provider does not know the client; its revocations wait until it does", metadata: metadata)
            }
            return .pending
        case .misconfigured:
            if pauses.shouldLog(client.name) {
                environment.log(context).error(
                    "A revocation cannot be sent; it waits until the settings or the provider's documents are right",
                    metadata: metadata)
            }
            return .pending
        case .unsupported:
            if pauses.shouldLog(client.name) {
                environment.log(context).error(
                    "The provider has no revocation endpoint; tokens are forgotten here and stay good there",
                    metadata: metadata)
            }
            return .impossible
        case .noRefreshToken, .tooWeak, .loginRequired, .consentRequired, .refused:
            environment.log(context).error("The provider refuses a revocation", metadata: metadata)
            return .impossible
        }
    }
}

/// Items that have to be ended at providers, split by whether they are in the queue.
struct WrittenDown: Sendable {
    /// The jobs that are in the queue.
    var jobs: [RevocationQueue.Job] = []
    /// The items that the queue had no room for, or that the store did not take.
    var unwritten: [Revocable] = []
}
