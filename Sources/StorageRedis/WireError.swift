#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// Why a connection ended or was not made.
enum WireError: Error, Equatable, Sendable {
    /// The name of the host is not known.
    case unknownHost
    /// The system refused the connection, with its error number.
    case system(Int32)
    /// Connecting took too long.
    case connectTimeout
    /// The server closed the connection.
    case closedByServer
    /// The server refused the sign-in or the choice of the database, with the kind of its error.
    case refused(String)
    /// The access list of the server lacks these rights of the user.
    case forbidden(String)
    /// The server sent something else than answers to what was asked.
    case malformed
    /// The server left a command without an answer until its deadline.
    case silent

    /// True if the server answers and does not do what was asked.
    var isRefusal: Bool {
        switch self {
        case .refused, .forbidden: true
        default: false
        }
    }

    /// The cause with what to do, as a sentence without a full stop.
    var cause: String {
        switch self {
        case .unknownHost: "the host name is not known; check the address"
        case .system(let code): "cannot connect (\(String(cString: strerror(code)))); check address and server"
        case .connectTimeout: "the server did not answer in time; check address and network"
        case .closedByServer: "the server closed the connection; read the server's log"
        case .refused("WRONGPASS"), .refused("NOAUTH"), .refused("NOPERM"):
            "the server refused user or password, or does not let the user do what a session needs"
        case .forbidden(let rights): "the server's access list lacks rights of the user; add \(rights)"
        case .refused("READONLY"): "the server is a replica; name the primary"
        case .refused("LOADING"): "the server still loads its data; wait"
        case .refused(let kind): "the server refused what was asked (\(kind)); read the server's log"
        case .malformed: "the server does not speak the protocol of Redis; check address and port"
        case .silent: "the server did not answer in time; check its load"
        }
    }
}
