internal import Basics
internal import DaVinciClient
internal import HTTPCore
internal import OpenIDConnect
internal import Orchestrate
internal import StorageKit

extension LiveCheck {
    /// Begins the flow of a client and abandons it at its first page; PingOne forgets it in minutes.
    ///
    /// - Returns: The fault and its remedy; nil when PingOne answers with a page.
    func flow(_ settings: DaVinciSettings) async -> String? {
        let step: FlowStep
        do {
            let davinci = try DaVinci.createDaVinci { config in
                settings.configure(&config, of: client, api)
                config.transport = transport
                config.oidc(registration)
            }
            var storages = CallerStorages()
            storages[.davinciSession] = MemoryStorage()
            storages[.tokens] = MemoryStorage()
            step = try await davinci.bound(to: Caller(deadline: deadline, storages: storages)).start()
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
