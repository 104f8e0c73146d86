internal import Basics
internal import Logs

/// A configured engine: ordered handlers and a transport, shared by all users.
///
/// Immutable once built. Work goes through `bound(to:)`; what changes per user is a `FlowState` that the caller keeps.
public final class Workflow: Sendable {
    /// Transport, logger and settings.
    package let services: WorkflowServices
    /// The names of the modules that were registered more than once with `mode: .override`; the last one counts.
    package let overridden: [String]
    let handlers: HandlerTable
    let initialization: Initialization

    init(_ config: WorkflowConfig) throws(WorkflowError) {
        guard let transport = config.transport else { throw .missingTransport }
        services = WorkflowServices(
            transport: transport, logger: config.logger, timeout: config.timeout, time: config.time,
            product: config.product)
        let modules = config.modules.enumerated()
            .sorted { ($0.element.priority, $0.offset) < ($1.element.priority, $1.offset) }.map(\.element)
        let registrar = Registrar()
        for (index, module) in modules.enumerated() {
            registrar.begin(module: index)
            do { try module.setUp(services, registrar) } catch { throw .refused(module: module.name, error) }
        }
        handlers = registrar.finish()
        guard handlers.transform != nil else { throw .missingTransform }
        for rule in handlers.predecessors
        where modules[(rule.module + 1)...].contains(where: { $0.kind === rule.after }) {
            throw .order(module: modules[rule.module].name, after: rule.name)
        }
        overridden = modules.filter { $0.overrides > 0 }.map(\.name)
        for name in overridden {
            services.logger.info(
                "module registered again, earlier configuration dropped", metadata: ["module": "\(name)"])
        }
        initialization = Initialization(handlers.initialize, timeout: config.timeout, config.time)
    }

    /// Builds a workflow.
    ///
    /// - Parameter configure: Sets transport, timeout and modules.
    /// - Returns: The engine.
    /// - Throws: What is missing or in the wrong order.
    public static func createWorkflow(_ configure: (inout WorkflowConfig) -> Void) throws(WorkflowError) -> Workflow {
        var config = WorkflowConfig()
        configure(&config)
        return try Workflow(config)
    }

    /// Builds a workflow from a prepared configuration.
    ///
    /// - Throws: What is missing or in the wrong order.
    public static func createWorkflow(_ config: WorkflowConfig) throws(WorkflowError) -> Workflow {
        try Workflow(config)
    }

    /// The workflow as one caller uses it.
    ///
    /// - Parameter caller: On whose behalf it works; stores that modules bring stand in for those that are missing.
    /// - Returns: The workflow with its caller, for one request.
    public func bound(to caller: Caller = Caller()) -> BoundWorkflow {
        var caller = caller
        caller.storages.fill(from: handlers.storages)
        return BoundWorkflow(workflow: self, caller: caller)
    }

    /// Runs the init handlers unless they have run; concurrent callers wait for one run, a failed one is not remembered.
    ///
    /// - Parameter deadline: Stops waiting at this instant; the run itself goes on for the next caller.
    /// - Returns: What the init handlers published.
    /// - Throws: What an init handler threw; `CancellationError` when the calling task was cancelled.
    public func initialize(deadline: ContinuousClock.Instant) async throws -> SharedContext {
        try await initialization.run(deadline: deadline)
    }
}
