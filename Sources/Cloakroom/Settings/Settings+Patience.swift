internal import HTTPServer

extension Settings {
    /// How long the listener leaves a request that waits for a node of a DaVinci flow; nil without a client of such flows.
    var longestRequestTime: Duration? {
        let longest = clients.filter { !$0.product.isJourney }.map { $0.stepTimeout ?? $0.timeout }.max()
        return longest.map { $0 + .seconds(5) + listener.limits.bodyTime }
    }

    /// The clients of DaVinci flows whose time-out is longer than the listener leaves all but `next` and `resume`.
    public var cutClients: [(client: String, limit: Duration)] {
        let limit = listener.limits.requestTime
        return clients.filter { !$0.product.isJourney && $0.timeout + .seconds(5) > limit }.map { ($0.name, limit) }
    }
}
