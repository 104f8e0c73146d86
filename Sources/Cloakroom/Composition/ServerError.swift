internal import HTTPServer
internal import StorageKit

/// Why a server cannot start.
public enum ServerError: Error, Sendable, Equatable {
    /// A client of the configuration cannot be built.
    case client(name: String, cause: String)
    /// A setting of the API cannot be used.
    case setting(key: String, expected: String)
    /// The address is taken or not one of this machine; `key` is the setting, `server.listen`.
    case listen(key: String, address: String, port: UInt16, cause: String)
    /// The store cannot be opened.
    case store(cause: String)
    /// The process may open too few files: `limit` of them, where a start needs `least` and `wanted` keep all bounds.
    case descriptors(limit: Int, least: Int, wanted: Int)
    /// The system refuses a thread or a file descriptor.
    case system(cause: String)
}

extension ServerError: CustomStringConvertible {
    /// A sentence that names the problem and its cause.
    public var description: String {
        switch self {
        case .client(let name, let cause): "client '\(name)' cannot be built: \(cause)"
        case .setting(let key, let expected): "\(key): \(expected)"
        case .listen(let key, let address, let port, let cause):
            "\(key): cannot listen on \(address):\(port): \(cause)"
        case .store(let cause): "the session store cannot be opened: \(cause)"
        case .descriptors(let limit, let least, let wanted):
            "the process may open \(limit) files and sockets, too few to serve: it needs \(least) at least, and \(wanted) for "
                + "server.limits.connections as set; raise the hard limit (LimitNOFILE= of systemd, --ulimit nofile= of a "
                + "container, ulimit -Hn)"
        case .system(let cause): "the system refuses what the server needs: \(cause)"
        }
    }
}
