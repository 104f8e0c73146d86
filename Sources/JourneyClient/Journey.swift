internal import OpenIDConnect
public import Orchestrate

/// A client of AM's journeys: immutable, without user state, shared by all callers.
///
/// ```swift
/// let journey = try Journey.createJourney { config in
///     config.serverUrl = "https://tenant.example.com/am"
///     config.realm = "alpha"
/// }
/// let step = try await journey.bound().start("Login")
/// ```
public final class Journey: Sendable {
    /// The workflow engine of the client.
    public let workflow: Workflow
    let settings: JourneyModuleSettings

    private init(workflow: Workflow, settings: JourneyModuleSettings) {
        self.workflow = workflow
        self.settings = settings
    }

    /// Builds a client.
    ///
    /// - Parameter configure: Sets address, realm, transport and modules.
    /// - Returns: The client.
    /// - Throws: The first setting that cannot be used; the error does not contain its value.
    public static func createJourney(
        _ configure: (inout JourneyConfig) -> Void
    ) throws(JourneyConfigurationError) -> Journey {
        var config = JourneyConfig()
        configure(&config)
        let settings = try JourneyModuleSettings(config)
        do {
            let own = config.options.workflow(settings, timeout: config.timeout, sending: config.transport)
            return Journey(workflow: try Workflow.createWorkflow(own), settings: settings)
        } catch {
            throw .workflow("\(error)")
        }
    }

    /// How a session reaches a journey that upgrades it.
    public var sessionUpgrade: SessionUpgrade { settings.sessionUpgrade }

    /// The journey that `start` runs when it names none.
    public var defaultJourney: String? { settings.defaultJourney }

    /// Asks AM again for the name of its session cookie, unless the settings give the name.
    ///
    /// If AM cannot be asked or names no cookie, the known name stays.
    ///
    /// - Parameter deadline: Gives up at this instant.
    package func learnAgain(deadline: ContinuousClock.Instant) async {
        guard settings.cookie.configured == nil else { return }
        await settings.cookie.learnAgain(by: workflow.services, deadline: deadline)
    }

    /// The client bound to one caller.
    ///
    /// - Parameter caller: The caller on whose behalf the client works; made for one request, because it has a
    ///   deadline.
    /// - Returns: The bound client.
    public func bound(to caller: Caller = Caller()) -> BoundJourney {
        BoundJourney(journey: self, workflow: workflow.bound(to: caller))
    }
}
