internal import Basics

extension RedisSettings {
    /// True if what is sent to the addresses of the settings is encrypted or stays on this machine, or may go in the clear.
    package var isProtected: Bool {
        if tls != nil || insecureTransport { return true }
        return switch address {
        case .tcp(let host, _): Self.isOfThisMachine(host)
        case .socket: true
        case .sentinels(let sentinels): sentinels.hosts.allSatisfy { Self.isOfThisMachine($0.host) }
        case .cluster(let cluster): cluster.nodes.allSatisfy { Self.isOfThisMachine($0.host) }
        }
    }

    /// True for `localhost`, `::1` and the addresses of 127.0.0.0/8.
    static func isOfThisMachine(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        // A name may begin with 127 as well.
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { 1...3 ~= $0.utf8.count && $0.utf8.allSatisfy(\.isDigit) }
    }
}
