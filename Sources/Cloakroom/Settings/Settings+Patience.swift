internal import HTTPServer

extension Settings {
    /// How long the listener leaves a request that waits for a node of a DaVinci flow; nil without a client of such flows.
    var longestRequestTime: Duration? {
        let longest = clients.filter { !$0.product.isJourney }.map { $0.stepTimeout ?? $0.timeout }.max()
        return longest.map { $0 + .seconds(5) + listener.limits.bodyTime }
    }

    /// The clients of DaVinci flows whose time-out is longer than the listener leaves all but `next` and `resume`.
    public var cutClients: [CutClient] {
        let limit = listener.limits.requestTime
        return clients.filter { !$0.product.isJourney && $0.timeout + .seconds(5) > limit }.map { client in
            // A time-out of its own for nodes has only a client without one in the file.
            CutClient(name: client.name, limit: limit, timeout: client.timeout, isStated: client.stepTimeout == nil)
        }
    }
}

/// A client of DaVinci flows that waits for longer than the listener leaves a request.
public struct CutClient: Sendable, Equatable {
    /// The name of the client.
    public let name: String
    /// What the listener leaves a request, `server.limits.requestTime`.
    public let limit: Duration
    /// What the client leaves PingOne.
    public let timeout: Duration
    /// Whether that is in the settings, and not what holds without.
    public let isStated: Bool
}
