/// One place that a connection is made to.
enum Endpoint: Sendable, Hashable {
    case tcp(host: String, port: UInt16)
    case socket(path: String)

    init(_ host: RedisSettings.Sentinels.Host) {
        self = .tcp(host: host.host, port: host.port)
    }

    /// True if nothing that is sent there leaves this machine.
    var isOfThisMachine: Bool {
        switch self {
        case .tcp(let host, _): RedisSettings.isOfThisMachine(host)
        case .socket: true
        }
    }

    /// The endpoint as the address of a server.
    var address: RedisSettings.Address {
        switch self {
        case .tcp(let host, let port): .tcp(host: host, port: port)
        case .socket(let path): .socket(path: path)
        }
    }

    /// The host that a certificate has to be for.
    var host: String {
        switch self {
        case .tcp(let host, _): host
        case .socket: "localhost"
        }
    }
}
