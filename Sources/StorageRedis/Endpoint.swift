/// One place that a connection is made to.
enum Endpoint: Sendable, Equatable {
    case tcp(host: String, port: UInt16)
    case socket(path: String)

    init(_ host: RedisSettings.Sentinels.Host) {
        self = .tcp(host: host.host, port: host.port)
    }

    /// The host that a certificate has to be for.
    var host: String {
        switch self {
        case .tcp(let host, _): host
        case .socket: "localhost"
        }
    }
}
