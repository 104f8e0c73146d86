internal import Basics
internal import Logs

/// A configured engine: ordered handlers and a transport, shared by all users.
///
/// Immutable once built. Requests use it through `bound(to:)`; the caller keeps the per-user state as a `FlowState`.
public final class Workflow: Sendable {
    /// Transport, logger and settings.
    package let services: WorkflowServices
    /// The names of the modules that were registered more than once with `mode: .override`; the last registration
    /// counts.
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
    /// - Throws: A `WorkflowError` that names what is missing or in the wrong order.
    public static func createWorkflow(_ configure: (inout WorkflowConfig) -> Void) throws(WorkflowError) -> Workflow {
        var config = WorkflowConfig()
        configure(&config)
        return try Workflow(config)
    }

    /// Builds a workflow from a prepared configuration.
    ///
    /// - Throws: A `WorkflowError` that names what is missing or in the wrong order.
    public static func createWorkflow(_ config: WorkflowConfig) throws(WorkflowError) -> Workflow {
        try Workflow(config)
    }

    /// Binds the workflow to one caller.
    ///
    /// - Parameter caller: The caller that steps run for; stores that modules provide fill in for missing ones.
    /// - Returns: The workflow with its caller, for one request.
    public func bound(to caller: Caller = Caller()) -> BoundWorkflow {
        var caller = caller
        caller.storages.fill(from: handlers.storages)
        return BoundWorkflow(workflow: self, caller: caller)
    }

    /// Runs the init handlers unless they have run.
    ///
    /// Concurrent callers share one run, and a failed run is not remembered.
    ///
    /// - Parameter deadline: Stops waiting at this instant; the run itself goes on for the next caller.
    /// - Returns: The values that the init handlers published.
    /// - Throws: The error of an init handler; `CancellationError` when the calling task was cancelled.
    public func initialize(deadline: ContinuousClock.Instant) async throws -> SharedContext {
        try await initialization.run(deadline: deadline)
    }
}
