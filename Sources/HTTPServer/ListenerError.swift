/// Why a listener did not start.
public enum ListenerError: Error, Sendable, Equatable {
    /// A setting is out of its range; names it.
    case setting(String)
    /// The address and port could not be bound; the system's error number.
    case bind(errno: Int32)
    /// The threads could not be started, or the listener was started or stopped before.
    case start
}
