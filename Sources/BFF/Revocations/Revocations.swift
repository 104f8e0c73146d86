import Basics
import Logs
import OpenIDConnect
import Orchestrate
import StorageKit

/// What has to end at providers: written down first, then done, and done again where a provider failed.
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

    /// Writes down what has to be ended, before anyone tries to.
    ///
    /// - Throws: `.storeUnavailable`; a queue that is full is no error.
    func writeDown(_ revocable: [Revocable]) async throws(BFFError) -> WrittenDown {
        do {
            return WrittenDown(jobs: try await queue.add(revocable, of: environment.clients))
        } catch .full {
            return WrittenDown(unwritten: revocable)
        } catch {
            throw BFFError(error)
        }
    }

    /// Forgets what was written down after all.
    func forget(_ jobs: [RevocationQueue.Job]) async {
        await queue.done(jobs)
    }

    /// Ends things at their providers: it returns once all is written down, and they are told after the answer, and again
    /// later where one fails.
    func revokeAfterwards(_ revocable: [Revocable], _ context: CallContext) async {
        guard !revocable.isEmpty else { return }
        let written = (try? await writeDown(revocable)) ?? WrittenDown(unwritten: revocable)
        carryOutAfterwards(written, context)
    }

    /// Tries what is written down, and what could not be, after the answer.
    func carryOutAfterwards(_ written: WrittenDown, _ context: CallContext) {
        guard !written.jobs.isEmpty || !written.unwritten.isEmpty else { return }
        environment.work.afterwards.begin { [self] in await carryOut(written, context) }
    }

    /// Tries what is written down, for a few seconds, and then what could not be; what a provider does not take stays
    /// written.
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

    /// Tries what could not be written down.
    func tryOnce(_ revocable: [Revocable], _ context: CallContext) async -> [RevocationOutcome] {
        environment.log(context).error("Revocations could not be written down; they are tried once")
        let outcomes = await inWaves(revocable, \.self) { item, deadline in await self.end(item, deadline, context) }
        return outcomes.map { $0 == .pending ? .impossible : $0 }
    }

    /// First the tokens, then the sessions they came from (docs/protocol.md, 'Sessions').
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

    /// Tries again what providers did not take; the server calls it now and then, and after new settings.
    ///
    /// A client whose provider fails is left alone for a while that grows: `RevocationPauses`. What the time does not
    /// suffice for is what the next round begins with, and what cannot be read keeps nothing else from being tried.
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

    /// Tries again what waits at one place.
    ///
    /// - Returns: Whether the time sufficed.
    private func retry(at place: Int, _ deadline: ContinuousClock.Instant) async throws(StoreError) -> Bool {
        guard ContinuousClock.now < deadline else { return false }
        let context = CallContext(cookie: nil, deadline: deadline, requestID: "revocation", began: .now)
        for job in try await queue.waiting(at: place) where pauses.isDue(job.item.client) {
            let limit = min(deadline, ContinuousClock.now + environment.settings.endingPatience)
            guard ContinuousClock.now < deadline, !Task.isCancelled else { return false }
            guard try await isFree(job) else { continue }
            if await end(job.item, limit, context) == .pending {
                // One that does not answer must not use up the time of the others.
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
            // Another process may have it, as while settings change on one after the other, and the next settings too.
            if pauses.tells(item.client) {
                environment.log(context).error(
                    "A revocation is of a client that is gone from the configuration; it waits")
            }
            return .pending
        }
        var caller = context.caller
        // The request that asked may have little time left, or its caller may be gone: this is worth some more.
        caller.deadline = min(deadline, ContinuousClock.now + client.timeout)
        do {
            switch item {
            case .tokens(let bytes, _):
                guard let tokens = try? TokenSet(decoding: bytes) else { return .impossible }
                try await client.tokens.revoke(tokens, deadline: caller.deadline)
            case .session(let bytes, _):
                try await client.flows.endSession(bytes, caller)
            }
            // A session says nothing of tokens: ending it needs no client secret.
            if item.isTokens { pauses.succeeded(client.name) }
            return .ended
        } catch {
            return outcome(after: error, client, context)
        }
    }

    /// What a failure means for what had to end; an operator's mistake must not leave tokens good that he can still revoke.
    private func outcome(after failure: TokenError, _ client: ClientDefinition, _ context: CallContext)
        -> RevocationOutcome
    {
        var metadata: Logger.Metadata = ["client": .string(client.name)]
        if let check = failure.check { metadata["check"] = .string(check) }
        switch failure {
        case .invalidGrant, .sessionEnded:
            return .ended
        case .unavailable:
            if pauses.tells(client.name) {
                environment.log(context).warning(
                    "The provider did not take a revocation; it is tried again", metadata: metadata)
            }
            return .pending
        case .unknownClient:
            if pauses.tells(client.name) {
                environment.log(context).warning(
                    "The provider does not know the client; its revocations wait until it does", metadata: metadata)
            }
            return .pending
        case .misconfigured:
            if pauses.tells(client.name) {
                environment.log(context).error(
                    "A revocation cannot be sent; it waits until the settings or the provider's documents are right",
                    metadata: metadata)
            }
            return .pending
        case .unsupported:
            if pauses.tells(client.name) {
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

/// What has to end at providers, as far as it is written down.
struct WrittenDown: Sendable {
    /// The jobs that are.
    var jobs: [RevocationQueue.Job] = []
    /// What the queue had no room for, or the store did not take.
    var unwritten: [Revocable] = []
}
