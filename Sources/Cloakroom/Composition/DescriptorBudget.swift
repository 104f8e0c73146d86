internal import BFF
internal import BFFAPI
internal import Basics
internal import HTTPClient
internal import HTTPCore
internal import HTTPServer
internal import Logs

/// Who may have how many of the process's file descriptors.
///
/// A flood of connections takes the share of the listener that it comes to, and nothing of what the store, calls to providers
/// and APIs, and the other listener need. The shares hold because each listener has a bound of its own, at which the
/// connection that lies idle longest goes.
struct DescriptorBudget: Equatable {
    /// What a server has to have open.
    struct Demand: Equatable {
        /// Files and sockets that are open before the server is built.
        var open: Int
        /// Threads that serve, of both listeners: each has an epoll set and a way to be woken.
        var threads: Int
        /// `connections` of the public listener.
        var browsers: Int
        /// `connections` of the admin listener; nil without one.
        var operators: Int?
        /// Sockets to providers and APIs, at most.
        var outbound: Int
    }

    /// Store, log, timers, resolver: what a server has open besides sockets.
    private static let own = 64
    /// With fewer connections than these of browsers a server does not start.
    static let fewest = 32

    /// The descriptors that the process may have.
    let limit: Int
    /// Connections of the public listener.
    let browsers: Int
    /// Connections of the admin listener.
    let operators: Int
    /// True if the limit gives each less than its settings ask for.
    let isShort: Bool
    /// The limit that gives each as much as its settings ask for.
    let wanted: Int

    /// Divides the limit.
    ///
    /// Where it does not suffice for all, calls out may take a third and the admin listener a sixth of what is left; what
    /// they do not ask for goes to browsers.
    ///
    /// - Parameters:
    ///   - demand: What the server would have open with its settings.
    ///   - limit: The descriptors that the process may have.
    /// - Throws: `.descriptors` when less than `fewest` connections of browsers remain.
    init(_ demand: Demand, within limit: Int) throws(ServerError) {
        self.limit = limit
        let base = demand.open + Self.own + 4 * demand.threads
        let operators = demand.operators.map(ListenerSettings.Limits.sockets(for:)) ?? 0
        let all = ListenerSettings.Limits.sockets(for: demand.browsers) + operators + demand.outbound
        wanted = base + all
        let left = max(0, limit - base)
        isShort = left < all
        guard isShort else {
            browsers = demand.browsers
            self.operators = demand.operators ?? 0
            return
        }
        let forOperators = min(operators, left / 6)
        let forBrowsers = left - min(demand.outbound, left / 3) - forOperators
        browsers = min(demand.browsers, Self.connections(within: forBrowsers))
        self.operators = min(demand.operators ?? 0, Self.connections(within: forOperators))
        guard browsers >= min(Self.fewest, demand.browsers) else {
            let least = base + 2 * ListenerSettings.Limits.sockets(for: Self.fewest)
            throw .descriptors(limit: limit, least: min(least, wanted), wanted: wanted)
        }
    }

    /// Says in the log that fewer connections are kept than the settings ask for.
    func warn(_ logger: Logger) {
        guard isShort else { return }
        logger.warning(
            """
            The process may open too few files for server.limits.connections, so fewer connections are kept; raise its hard \
            limit (LimitNOFILE=, --ulimit nofile=, ulimit -Hn) or lower the setting
            """,
            metadata: [
                "files": .stringConvertible(limit), "files.wanted": .stringConvertible(wanted),
                "connections": .stringConvertible(browsers), "admin.connections": .stringConvertible(operators),
            ])
    }

    /// As many connections as so many descriptors hold.
    private static func connections(within descriptors: Int) -> Int {
        // One more connection is never more than two sockets more.
        var found = max(0, descriptors / 2 - 4)
        while found < descriptors, ListenerSettings.Limits.sockets(for: found + 1) <= descriptors { found += 1 }
        return found
    }
}

extension Settings {
    /// What a server with these settings has open at most.
    var descriptorDemand: DescriptorBudget.Demand {
        // Sign-ins, introspection and each API have connections apart, APIs without a token others than with one.
        let apis = Set(routes.map { UpstreamPool(address: $0.upstream.origin, isAnonymous: $0.route.demand == .none) })
        let pools = outbound.connections * (issuers.isEmpty ? 1 : 2)
        let routed = apis.count * min(outbound.connections, outbound.connectionsPerHost)
        return DescriptorBudget.Demand(
            open: ProcessDescriptors.openCount, threads: listener.threads + (admin?.threads ?? 0),
            browsers: listener.limits.connections, operators: admin?.limits.connections, outbound: pools + routed)
    }
}

/// Calls to APIs that share connections.
private struct UpstreamPool: Hashable {
    let address: String
    let isAnonymous: Bool
}
