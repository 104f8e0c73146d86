/// The reason why a simulator cannot be made or started.
package enum SimulatorError: Error, Sendable, Equatable {
    /// A setting, by its name, that is inconsistent.
    case setting(String)
    /// No signing key could be made.
    case keys
    /// The address cannot be bound.
    case listen
}
