internal import HTTPCore
internal import OpenIDConnect
public import Orchestrate

/// A client of PingOne's DaVinci flows: immutable, holds no user's data, shared by all users.
///
/// ```swift
/// let davinci = try DaVinci.createDaVinci { config in
///     config.oidc { oidc in
///         oidc.discovery = "https://auth.pingone.eu/ENVIRONMENT/as/.well-known/openid-configuration"
///         oidc.clientID = "web"
///         oidc.redirectURI = "https://app.example.com/callback"
///         oidc.storage = MemoryStorage<TokenSet>()
///     }
/// }
/// let step = try await davinci.bound().start()
/// ```
public final class DaVinci: Sendable {
    /// The workflow engine of the client.
    public let workflow: Workflow
    let settings: DaVinciModuleSettings

    private init(workflow: Workflow, settings: DaVinciModuleSettings) {
        self.workflow = workflow
        self.settings = settings
    }

    /// Builds a client.
    ///
    /// - Parameter configure: Sets the OpenID client, transport and modules.
    /// - Returns: The client.
    /// - Throws: The first setting that cannot be used, without its value.
    public static func createDaVinci(
        _ configure: (inout DaVinciConfig) -> Void
    ) throws(DaVinciConfigurationError) -> DaVinci {
        var config = DaVinciConfig()
        configure(&config)
        let settings = try DaVinciModuleSettings(config)
        do {
            let own = config.options.workflow(
                settings, timeout: config.nextTimeout, sending: config.namedTransport)
            return DaVinci(workflow: try Workflow.createWorkflow(own), settings: settings)
        } catch {
            throw .workflow("\(error)")
        }
    }

    /// The names of the parameters that another identity provider returns.
    public static let returnNames: Set<String> = ["continueToken", "error", "error_description"]

    /// True if a button's address is allowed: on a host of PingOne, or of `DaVinciConfig.links`.
    package func allows(_ question: DaVinciPage.DepartureQuestion) -> Bool {
        settings.links.allowed(question.address) != nil
    }

    /// Binds the client to one caller.
    ///
    /// - Parameter caller: The caller that the client acts for; made per request, because it has a deadline.
    /// - Returns: The client with its caller.
    public func bound(to caller: Caller = Caller()) -> BoundDaVinci {
        BoundDaVinci(davinci: self, workflow: workflow.bound(to: caller))
    }
}
