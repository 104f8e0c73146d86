#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// Why a listener did not start.
public enum ListenerError: Error, Sendable, Equatable {
    /// The named setting is out of its range.
    case setting(String)
    /// The address and port could not be bound, with the system's error number.
    case bind(errno: Int32)
    /// The threads could not be started, or the listener was started or stopped before.
    case start
}

extension ListenerError: CustomStringConvertible {
    /// The cause in words.
    public var description: String {
        switch self {
        case .setting(let name): "\(name) is out of range"
        case .bind(let number): strerror(number).map { String(cString: $0) } ?? "error \(number)"
        case .start: "its threads cannot be started"
        }
    }
}
