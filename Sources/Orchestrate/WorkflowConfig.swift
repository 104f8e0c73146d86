public import Basics
public import HTTPCore
public import Logs

/// The configuration of a workflow: its modules, transport and settings.
public struct WorkflowConfig {
    /// The time limit of one request, 15 seconds unless set.
    public var timeout: Duration = .seconds(15)
    /// The logger of this workflow, silent unless set; other workflows are not affected.
    public var logger = Logger.silent
    /// Sends the requests; required.
    public var transport: (any HTTPTransport)?
    /// The source of wall-clock time, the machine's clock unless set.
    public var time: any TimeSource = SystemTime()
    /// Settings of the product, which its own modules read from `Setup.services`.
    public var product: (any Sendable)?
    private(set) var modules: [Registration] = []

    /// Makes a configuration without modules.
    public init() {}

    /// Registers a module.
    ///
    /// - Parameters:
    ///   - module: The module to register.
    ///   - priority: Lower runs first; equal ones run in order of registration. Ignored when an entry is replaced.
    ///   - mode: How to treat a module that is registered already.
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

/// A registered module with its configuration, before its setup runs.
struct Registration: Sendable {
    var identity: ModuleIdentity
    /// The identity of the module that this entry was made from, also for appended entries.
    let kind: ModuleIdentity
    let name: String
    var priority: Int
    var overrides = 0
    let setUp: @Sendable (WorkflowServices, Registrar) throws -> Void
}

/// Why a workflow cannot be built.
public enum WorkflowError: Error, Sendable {
    /// No module provides a transform handler, which makes nodes of answers.
    case missingTransform
    /// No transport is set, so nothing could be sent.
    case missingTransport
    /// A module that must run after another one is registered to run before it.
    case order(module: String, after: String)
    /// A module refused its configuration.
    case refused(module: String, any Error)
}

extension WorkflowError: CustomStringConvertible {
    /// A sentence that tells what to change.
    public var description: String {
        switch self {
        case .missingTransform: "no module registers a transform handler, so no answer can become a node"
        case .missingTransport: "the workflow has no transport to send requests with"
        case .order(let module, let after): "\(module) must run after \(after); give it a higher priority number"
        case .refused(let module, let error): "\(module) refused its configuration: \(error)"
        }
    }
}
