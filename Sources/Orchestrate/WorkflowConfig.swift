public import Basics
public import HTTPCore
public import Logs

/// What a workflow is made of.
public struct WorkflowConfig {
    /// How long one request may take, 15 seconds unless set.
    public var timeout: Duration = .seconds(15)
    /// Where this workflow logs, nowhere unless set; other workflows are not touched.
    public var logger = Logger.silent
    /// Sends the requests; required.
    public var transport: (any HTTPTransport)?
    /// Wall-clock time, the machine's unless set.
    public var time: any TimeSource = SystemTime()
    /// Settings of the product, for its own modules: they find them in `Setup.services`.
    public var product: (any Sendable)?
    private(set) var modules: [Registration] = []

    /// Makes a configuration without modules.
    public init() {}

    /// Registers a module.
    ///
    /// - Parameters:
    ///   - module: What to register.
    ///   - priority: Lower runs first; equal ones run in the order of registration. Ignored when an entry is replaced.
    ///   - mode: What happens when it is registered already.
    ///   - configure: Changes a fresh configuration of the module.
    public mutating func module<Config>(
        _ module: Module<Config>, priority: Int = 10, mode: OverrideMode = .override,
        _ configure: (inout Config) -> Void = { _ in }
    ) {
        let known = modules.firstIndex { $0.identity === module.identity }
        if known != nil, mode == .ignore { return }
        var config = module.makeConfig()
        configure(&config)
        let final = config
        var entry = Registration(
            identity: module.identity, kind: module.identity, name: module.name, priority: priority,
            setUp: { services, registrar in
                try module.setUp(Setup(config: final, services: services, registrar: registrar))
            })
        if let known, mode == .override {
            entry.priority = modules[known].priority
            entry.overrides = modules[known].overrides + 1
            modules[known] = entry
        } else {
            if mode == .append, known != nil { entry.identity = ModuleIdentity() }
            modules.append(entry)
        }
    }
}

/// A module with its configuration, waiting for its setup.
struct Registration: Sendable {
    var identity: ModuleIdentity
    /// The identity of the module this was made from, also for appended entries.
    let kind: ModuleIdentity
    let name: String
    var priority: Int
    var overrides = 0
    let setUp: @Sendable (WorkflowServices, Registrar) throws -> Void
}

/// Why a workflow cannot be built.
public enum WorkflowError: Error, Sendable {
    /// No module makes a node of an answer.
    case missingTransform
    /// There is no transport, so nothing could be sent.
    case missingTransport
    /// A module must run after another one and would run before it.
    case order(module: String, after: String)
    /// A module refused its configuration.
    case refused(module: String, any Error)
}

extension WorkflowError: CustomStringConvertible {
    /// What to change, in one sentence.
    public var description: String {
        switch self {
        case .missingTransform: "no module registers a transform handler, so no answer can become a node"
        case .missingTransport: "the workflow has no transport to send requests with"
        case .order(let module, let after): "\(module) must run after \(after); give it a higher priority number"
        case .refused(let module, let error): "\(module) refused its configuration: \(error)"
        }
    }
}
