import Basics
import Logs
import OpenIDConnect
import StorageKit

extension Backend {
    /// Ends things at their providers: written down first, tried at once, and again later when the provider fails.
    func undo(_ obsolete: [Obsolete], _ context: CallContext) async {
        guard !obsolete.isEmpty else { return }
        do {
            await carryOut(try await revocations.add(obsolete), context)
        } catch {
            await tryOnce(obsolete, context)
        }
    }

    /// Tries what is written down, for a few seconds; what a provider does not take stays written.
    func carryOut(_ jobs: [RevocationQueue.Job], _ context: CallContext) async {
        guard !jobs.isEmpty else { return }
        var done: [RevocationQueue.Job] = []
        for wave in Self.waves(jobs, \.item) {
            let deadline = ContinuousClock.now + settings.endingPatience / 2
            await withTaskGroup(of: RevocationQueue.Job?.self) { group in
                for job in wave {
                    group.addTask { await self.end(job.item, deadline, context) ? job : nil }
                }
                for await job in group {
                    if let job { done.append(job) }
                }
            }
        }
        await revocations.done(done)
    }

    /// Tries what could not be written down.
    func tryOnce(_ obsolete: [Obsolete], _ context: CallContext) async {
        log(context).error("Revocations could not be written down; they are tried once")
        for wave in Self.waves(obsolete, \.self) {
            let deadline = ContinuousClock.now + settings.endingPatience / 2
            await withTaskGroup(of: Void.self) { group in
                for item in wave {
                    group.addTask { _ = await self.end(item, deadline, context) }
                }
            }
        }
    }

    /// First the tokens, then the sessions they came from (protocol/engine.md, order of logout).
    private static func waves<Element>(
        _ all: [Element], _ item: (Element) -> Obsolete
    ) -> [[Element]] {
        [all.filter { item($0).isTokens }, all.filter { !item($0).isTokens }]
    }

    /// Tries again what providers did not take; the server calls it now and then.
    public func retryRevocations(deadline: ContinuousClock.Instant) async {
        do {
            guard let lease = try await store.claim("revocations", for: .seconds(60)) else { return }
            let context = CallContext(cookie: nil, deadline: deadline, requestID: "revocation")
            do {
                var silent: Set<String> = []
                for job in try await revocations.waiting() where !silent.contains(job.item.client) {
                    let limit = min(deadline, ContinuousClock.now + settings.endingPatience)
                    guard ContinuousClock.now < deadline else { break }
                    if await end(job.item, limit, context) {
                        await revocations.done([job])
                    } else {
                        // One that does not answer must not use up the time of the others.
                        silent.insert(job.item.client)
                    }
                }
            } catch {
                logger.warning("Revocations could not be read")
            }
            try await store.release(lease)
        } catch {
            logger.warning("Revocations could not be claimed")
        }
    }

    /// - Returns: Whether it is dealt with; false when the provider has to be asked again.
    private func end(_ item: Obsolete, _ deadline: ContinuousClock.Instant, _ context: CallContext) async -> Bool {
        guard let definition = clients[item.client] else {
            log(context).error("A revocation is of a client that is gone from the configuration")
            return true
        }
        var who = caller(definition, nil, context)
        // The request that asked may have little time left, or its caller may be gone: this is worth some more.
        who.deadline = min(deadline, ContinuousClock.now + definition.timeout)
        do {
            switch item {
            case .tokens(let bytes, _):
                guard let tokens = TokenSet(decoding: bytes) else { return true }
                try await definition.client.revoke(tokens, who)
            case .session(let bytes, _):
                try await definition.client.endSession(bytes, who)
            }
            return true
        } catch .unavailable {
            log(context).warning(
                "The provider did not take a revocation; it is tried again",
                metadata: ["client": .string(definition.name)])
            return false
        } catch .invalidGrant, .sessionEnded {
            return true
        } catch {
            log(context).error(
                "The provider refuses a revocation", metadata: ["client": .string(definition.name)])
            return true
        }
    }
}

extension Obsolete {
    fileprivate var isTokens: Bool {
        if case .tokens = self { true } else { false }
    }

    /// The client that can end it.
    var client: String {
        switch self {
        case .tokens(_, let client), .session(_, let client): client
        }
    }
}
