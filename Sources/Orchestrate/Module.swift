/// The identity of a module: two modules made by the same code are different modules.
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
/// Keep a module in a constant: `mode: .override` and `.ignore` find it by its identity.
public struct Module<Config: Sendable>: Sendable {
    /// The name, used in messages about wiring.
    public let name: String
    let identity = ModuleIdentity()
    let makeConfig: @Sendable () -> Config
    let setUp: @Sendable (Setup<Config>) throws -> Void

    /// Makes a module with a configuration.
    ///
    /// - Parameters:
    ///   - config: Makes a fresh configuration for each registration.
    ///   - name: The name in messages about wiring.
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
    /// Makes a module without a configuration.
    public static func of(
        name: String = "module", setup: @escaping @Sendable (Setup<Void>) throws -> Void
    ) -> Module {
        Module(name: name, makeConfig: {}, setUp: setup)
    }
}

/// How the workflow treats a module that is registered already.
public enum OverrideMode: Sendable {
    /// Replaces the entry in place: old position, old priority, a fresh configuration.
    case override
    /// Adds another entry, under a fresh identity that no later registration finds.
    case append
    /// Leaves the existing entry as it is.
    case ignore
}
