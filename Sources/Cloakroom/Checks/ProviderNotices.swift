internal import BFF
internal import Basics
internal import Discovery
internal import Logs
internal import OpenIDConnect
internal import ProductKit

/// Logs once per client that its provider has no revocation endpoint or names another issuer, as soon as the provider
/// answers.
///
/// A server starts without its providers; a problem of a provider is logged once the provider is reachable, not only when
/// a user signs out and nothing is revoked.
final class ProviderNotices: Sendable {
    private struct Client: Sendable {
        let name: String
        let location: ProviderLocation
    }

    private let waiting: Locked<[Client]>
    /// Clients that a reload kept unchanged: their facts about providers may be out of date.
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

    /// Checks the providers of clients without a notice so far; after a reload, has the kept clients read their
    /// provider's facts again.
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
                "The discovery document names another issuer: no user can sign in",
                metadata: [
                    "client": .string(client.name), "found": .string(found), "expected": .string(expected),
                    "setting": .string("clients.\(client.name).oidc.issuer: \(found)"),
                ])
            return true
        }
    }
}
