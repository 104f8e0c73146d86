internal import Basics
internal import DaVinciClient
package import Discovery
internal import HTTPCore
internal import OpenIDConnect
internal import Orchestrate
package import ProductKit
internal import StorageKit

extension DaVinciSettings {
    /// Begins the flow, if the provider's document could be fetched.
    package func findings(_ check: LiveCheck, _ metadata: ProviderMetadata?) async -> [LiveFinding] {
        [metadata == nil ? check.notTried("flow") : check.finding("flow", await begin(check))]
    }

    /// Begins the flow of a client and abandons it at its first page; PingOne forgets it in minutes.
    ///
    /// - Returns: The problem and its remedy; nil when PingOne answers with a page.
    private func begin(_ check: LiveCheck) async -> String? {
        let step: FlowStep
        do {
            let davinci = try DaVinci.createDaVinci { config in
                configure(&config, of: check.client, check.pages)
                config.transport = check.transport
                config.oidc(check.registration)
            }
            var storages = CallerStorages()
            storages[.davinciSession] = MemoryStorage()
            storages[.tokens] = MemoryStorage()
            step = try await davinci.bound(to: Caller(deadline: check.deadline, storages: storages)).start()
        } catch is DaVinciConfigurationError {
            return "no client can be made of the settings"
        } catch {
            return "interrupted"
        }
        let advice =
            "; correct oidc.clientId, oidc.redirectUri, oidc.scopes and oidc.acrValues, and assign a DaVinci flow policy to "
            + "the application"
        switch step.node {
        case .continue, .success: return nil
        case .error(let refusal): return "PingOne does not begin it (\(refusal.davinciStart?.check ?? ""))" + advice
        case .failure(let failure):
            return "PingOne does not begin it (\(failure.cause.davinci?.check ?? "no usable answer"))" + advice
        }
    }
}
