public import Orchestrate

/// A client of AM's journeys: immutable, knows no user, shared by all.
///
/// ```swift
/// let journey = try Journey.createJourney { config in
///     config.serverUrl = "https://tenant.example.com/am"
///     config.realm = "alpha"
/// }
/// let step = try await journey.bound().start("Login")
/// ```
public final class Journey: Sendable {
    /// The engine behind it.
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
    /// - Throws: The first setting that cannot be used, without its value.
    public static func createJourney(
        _ configure: (inout JourneyConfig) -> Void
    ) throws(JourneyConfigurationError) -> Journey {
        var config = JourneyConfig()
        configure(&config)
        let settings = try JourneyModuleSettings(config)
        do {
            return Journey(workflow: try Workflow.createWorkflow(config.workflow(settings)), settings: settings)
        } catch {
            throw .workflow("\(error)")
        }
    }

    /// How a session reaches a journey that shall upgrade it.
    public var sessionUpgrade: SessionUpgrade { settings.sessionUpgrade }

    /// The journey that `start` runs when it names none.
    public var defaultJourney: String? { settings.defaultJourney }

    /// Asks AM again for the name of its session cookie, unless the settings say it; what AM does not say changes nothing.
    ///
    /// - Parameter deadline: Gives up at this instant.
    package func learnAgain(deadline: ContinuousClock.Instant) async {
        guard settings.cookie.configured == nil else { return }
        await settings.cookie.learnAgain(by: workflow.services, deadline: deadline)
    }

    /// The client in the hands of one caller.
    ///
    /// - Parameter caller: On whose behalf it works; made for one request, since it has a deadline.
    /// - Returns: The client with its caller.
    public func bound(to caller: Caller = Caller()) -> BoundJourney {
        BoundJourney(journey: self, workflow: workflow.bound(to: caller))
    }
}
