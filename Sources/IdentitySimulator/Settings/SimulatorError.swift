/// Why a simulator cannot be made or started.
package enum SimulatorError: Error, Sendable, Equatable {
    /// A setting that contradicts itself, by its name.
    case setting(String)
    /// No signing key could be made.
    case keys
    /// The address cannot be bound.
    case listen
}
