/// Tells modules apart: two modules made by the same code are different modules.
final class ModuleIdentity: Sendable {}

/// A reusable piece of behaviour: a way to make its configuration, and a setup that registers handlers.
///
/// ```swift
/// struct HeaderConfig { var enable = true }
///
/// let customHeader = Module.of({ HeaderConfig() }, setup: { setup in
///     setup.next { context, page, request in
///         if setup.config.enable { request.header(name: "x-custom", value: "value") }
///     }
/// })
/// ```
///
/// Keep a module in a constant: its identity is what `mode: .override` and `.ignore` go by.
public struct Module<Config: Sendable>: Sendable {
    /// For messages about wiring.
    public let name: String
    let identity = ModuleIdentity()
    let makeConfig: @Sendable () -> Config
    let setUp: @Sendable (Setup<Config>) throws -> Void

    /// A module with a configuration.
    ///
    /// - Parameters:
    ///   - config: Makes a fresh configuration for each registration.
    ///   - name: For messages about wiring.
    ///   - setup: Registers handlers. Runs once, while the workflow is built; no I/O here, that belongs to `initialize`.
    ///     May throw to refuse its configuration.
    /// - Returns: A module of its own identity.
    public static func of(
        _ config: @escaping @Sendable () -> Config, name: String = "module",
        setup: @escaping @Sendable (Setup<Config>) throws -> Void
    ) -> Module {
        Module(name: name, makeConfig: config, setUp: setup)
    }
}

extension Module where Config == Void {
    /// A module without a configuration.
    public static func of(
        name: String = "module", setup: @escaping @Sendable (Setup<Void>) throws -> Void
    ) -> Module {
        Module(name: name, makeConfig: {}, setUp: setup)
    }
}

/// What happens when a module is registered that is registered already.
public enum OverrideMode: Sendable {
    /// The entry is replaced in place: old position, old priority, a fresh configuration.
    case override
    /// Another entry is added, under a fresh identity that no later registration finds.
    case append
    /// Leaves the module that is there as it is.
    case ignore
}
