public import Basics

/// With this a module registers its handlers while the workflow is built.
///
/// Registering afterwards, from inside a handler, has no effect: a workflow never changes once it is built.
public final class Setup<Config: Sendable>: Sendable {
    /// The module's configuration.
    public let config: Config
    /// Transport, logger and settings of the workflow.
    public let services: WorkflowServices
    private let registrar: Registrar

    init(config: Config, services: WorkflowServices, registrar: Registrar) {
        self.config = config
        self.services = services
        self.registrar = registrar
    }

    /// Adds an init handler.
    public func initialize(_ handler: @escaping InitHandler) { registrar.add { $0.initialize.append(handler) } }
    /// Adds a start handler.
    public func start(_ handler: @escaping StartHandler) { registrar.add { $0.start.append(handler) } }
    /// Adds a next handler.
    public func next(_ handler: @escaping NextHandler) { registrar.add { $0.next.append(handler) } }
    /// Sets the transport handler; without one the workflow's transport sends.
    public func transport(_ handler: @escaping TransportHandler) { registrar.add { $0.transport = handler } }
    /// Adds a response handler.
    public func response(_ handler: @escaping ResponseHandler) { registrar.add { $0.response.append(handler) } }
    /// Sets the transform handler.
    public func transform(_ handler: @escaping TransformHandler) { registrar.add { $0.transform = handler } }
    /// Adds a node handler.
    public func node(_ handler: @escaping NodeHandler) { registrar.add { $0.node.append(handler) } }
    /// Adds a success handler.
    public func success(_ handler: @escaping SuccessHandler) { registrar.add { $0.success.append(handler) } }
    /// Adds a sign-off handler.
    public func signOff(_ handler: @escaping SignOffHandler) { registrar.add { $0.signOff.append(handler) } }

    /// Adds a handler that runs, last module first, when the provider ended the flow well and a later phase failed.
    ///
    /// Otherwise a session would live on that nobody knows of. It must cope with its own success handler not having run.
    public func abandon(_ handler: @escaping AbandonHandler) { registrar.add { $0.abandon.append(handler) } }

    /// Sets how a page becomes a continue node again; without one the node has no actions.
    public func restore(_ handler: @escaping RestoreHandler) { registrar.add { $0.restore = handler } }

    /// Sets how answers become a request (the documentation's `asRequest`).
    public func answer(_ handler: @escaping AnswerHandler) { registrar.add { $0.answer = handler } }

    /// Names a store for callers who bring none under this key.
    ///
    /// All callers of the workflow share it: right for a program with one user, or for a workflow of its own for each user.
    /// A server gives each `Caller` the stores of its user instead.
    public func keep<Item>(_ key: StorageKey<Item>, in storage: any Storage<Item>) {
        registrar.add { $0.storages[key] = storage }
    }

    /// Makes building the workflow fail when `other` is registered and would run after this module.
    public func runs<Other>(after other: Module<Other>) {
        registrar.require(after: other.identity, name: other.name)
    }
}

/// Collects handlers until the workflow is built.
final class Registrar: Sendable {
    private struct State {
        var table: HandlerTable? = HandlerTable()
        var module = 0
    }

    private let state = Locked(State())

    /// Says whose setup runs now.
    func begin(module: Int) {
        state.withLock { $0.module = module }
    }

    func add(_ change: (inout HandlerTable) -> Void) {
        state.withLock { state in
            guard var table = state.table else { return }
            state.table = nil
            change(&table)
            state.table = table
        }
    }

    func require(after identity: ModuleIdentity, name: String) {
        state.withLock { $0.table?.predecessors.append(($0.module, identity, name)) }
    }

    /// Takes the handlers out; later registrations have no effect, and modules and workflow do not keep each other alive.
    func finish() -> HandlerTable {
        state.withLock { state in
            defer { state.table = nil }
            return state.table ?? HandlerTable()
        }
    }
}
