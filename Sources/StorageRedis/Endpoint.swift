/// One place that a connection is made to.
enum Endpoint: Sendable, Equatable {
    case tcp(host: String, port: UInt16)
    case socket(path: String)

    /// The host that a certificate has to be for.
    var host: String {
        switch self {
        case .tcp(let host, _): host
        case .socket: "localhost"
        }
    }
}
