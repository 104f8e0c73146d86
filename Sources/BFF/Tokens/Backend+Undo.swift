import Basics
import Logging
import OpenIDConnect
import StorageKit

extension Backend {
    /// Ends things at their providers: written down first, tried at once, and again later when the provider fails.
    func undo(_ obsolete: [Obsolete], _ context: CallContext) async {
        guard !obsolete.isEmpty else { return }
        let names: [String]?
        do {
            names = try await revocations.add(obsolete)
        } catch {
            log(context).warning("Revocations could not be written down; they are tried once")
            names = nil
        }
        var done: [String] = []
        for (index, item) in obsolete.enumerated() {
            if await end(item, context), let names { done.append(names[index]) }
        }
        if !done.isEmpty { await revocations.done(done) }
    }

    /// Tries again what providers did not take; the server calls it now and then.
    public func retryRevocations(deadline: ContinuousClock.Instant) async {
        do {
            guard let lease = try await store.claim("revocations", for: .seconds(60)) else { return }
            for (name, item) in try await revocations.waiting() {
                guard ContinuousClock.now < deadline else { break }
                let context = CallContext(cookie: nil, deadline: deadline, requestID: "revocation")
                if await end(item, context) { await revocations.done([name]) }
            }
            try await store.release(lease)
        } catch {
            logger.warning("Revocations could not be read")
        }
    }

    /// - Returns: Whether it is dealt with; false when the provider has to be asked again.
    private func end(_ item: Obsolete, _ context: CallContext) async -> Bool {
        let name =
            switch item {
            case .tokens(_, let client), .session(_, let client): client
            }
        guard let definition = clients[name] else { return true }
        var who = caller(definition, nil, context)
        who.deadline = min(who.deadline, ContinuousClock.now + .seconds(5))
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
            log(context).warning("The provider did not take a revocation; it is tried again")
            return false
        } catch .invalidGrant, .sessionEnded {
            return true
        } catch {
            log(context).error("The provider refuses a revocation")
            return true
        }
    }
}
