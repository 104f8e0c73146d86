internal import BFF
internal import Basics
internal import Discovery
internal import Logs
internal import OpenIDConnect

/// Says once of each client what its provider lacks or calls itself, as soon as the provider can be asked.
///
/// A server starts without its providers; what is wrong with one is said when it is there, and not first when a user
/// signs out and nothing ends.
final class ProviderNotices: Sendable {
    private struct Client: Sendable {
        let name: String
        let location: ProviderLocation
    }

    private let waiting: Locked<[Client]>
    /// Clients that a reload left as they were: what they know of their providers may be out of date.
    private let kept: Locked<[ClientDefinition]>
    private let directory: ProviderDirectory
    private let logger: Logger

    init(
        _ clients: [ClientSettings], _ kept: [ClientDefinition], _ directory: ProviderDirectory, _ logger: Logger
    ) {
        self.kept = Locked(kept)
        waiting = Locked(clients.map { Client(name: $0.name, location: $0.openID.location) })
        self.directory = directory
        self.logger = logger
    }

    /// Looks at those that nothing was said of yet; after a reload asks again for what clients keep.
    func checkProviders(deadline: ContinuousClock.Instant) async {
        let outdated = kept.withLock { kept in
            defer { kept = [] }
            return kept
        }
        for client in outdated { await client.flows.learnAgain(deadline: deadline) }
        for client in waiting.withLock({ $0 }) where await isToldOf(client, deadline) {
            waiting.withLock { $0.removeAll { $0.name == client.name } }
        }
    }

    private func isToldOf(_ client: Client, _ deadline: ContinuousClock.Instant) async -> Bool {
        do {
            let metadata = try await directory.metadata(client.location, deadline: deadline)
            guard metadata.revocationEndpoint == nil else { return true }
            logger.warning(
                "The provider names no revocation endpoint: tokens that are forgotten here stay good there",
                metadata: [
                    "client": .string(client.name),
                    "setting": .string("clients.\(client.name).oidc.revocationEndpoint"),
                ])
            return true
        } catch {
            guard case .issuerMismatch(let found, let expected) = error else { return !error.isTransient }
            logger.error(
                "The discovery document names another issuer: nobody can sign in",
                metadata: [
                    "client": .string(client.name), "found": .string(found), "expected": .string(expected),
                    "setting": .string("clients.\(client.name).oidc.issuer: \(found)"),
                ])
            return true
        }
    }
}
