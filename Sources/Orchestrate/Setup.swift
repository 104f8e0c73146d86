public import Basics

/// Registers the handlers of one module while the workflow is built.
///
/// Registering afterwards, from inside a handler, has no effect: a workflow never changes once it is built.
public final class Setup<Config: Sendable>: Sendable {
    /// The module's configuration.
    public let config: Config
    /// The transport, logger and settings of the workflow.
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
    /// Sets the transport handler; without one, the workflow's transport sends.
    public func transport(_ handler: @escaping TransportHandler) { registrar.add { $0.transport = handler } }
    /// Adds a response handler.
    public func response(_ handler: @escaping ResponseHandler) { registrar.add { $0.response.append(handler) } }
    /// Sets the handler that recognises a 429 as a refusal of the user; without one, every 429 is a busy provider's.
    public func refusal(_ handler: @escaping RefusalHandler) { registrar.add { $0.refusal = handler } }
    /// Sets the transform handler.
    public func transform(_ handler: @escaping TransformHandler) { registrar.add { $0.transform = handler } }
    /// Adds a node handler.
    public func node(_ handler: @escaping NodeHandler) { registrar.add { $0.node.append(handler) } }
    /// Adds a success handler.
    public func success(_ handler: @escaping SuccessHandler) { registrar.add { $0.success.append(handler) } }
    /// Adds a sign-off handler.
    public func signOff(_ handler: @escaping SignOffHandler) { registrar.add { $0.signOff.append(handler) } }

    /// Adds a handler that runs when the provider ended the flow well and a later phase failed; last module first.
    ///
    /// It prevents a provider session that lives on unknown to the server. It must work even if its own success handler
    /// has not run.
    public func abandon(_ handler: @escaping AbandonHandler) { registrar.add { $0.abandon.append(handler) } }

    /// Sets the handler that rebuilds a continue node from a page; without one, the node has no actions.
    public func restore(_ handler: @escaping RestoreHandler) { registrar.add { $0.restore = handler } }

    /// Sets the handler that turns answers into a request (the documentation's `asRequest`).
    public func answer(_ handler: @escaping AnswerHandler) { registrar.add { $0.answer = handler } }

    /// Provides a store for callers that bring none under this key.
    ///
    /// All callers of the workflow share it, which suits a program with one user or a workflow per user.
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

    /// Sets the index of the module whose setup runs now.
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

    /// Returns the handlers and empties the registrar: later registrations have no effect, and module and workflow do
    /// not keep each other alive.
    func finish() -> HandlerTable {
        state.withLock { state in
            defer { state.table = nil }
            return state.table ?? HandlerTable()
        }
    }
}
