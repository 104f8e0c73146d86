internal import BFF
internal import BFFAPI
internal import Basics
internal import HTTPClient
internal import HTTPCore
internal import HTTPServer
internal import Logs

/// The shares of the listeners in the process's file descriptors.
///
/// A flood of connections uses up the share of the listener that it reaches, but no descriptor that the store, calls to
/// providers and APIs, or the other listener need. The shares hold because each listener has its own limit of
/// connections, at which it hangs up the connection that has been idle longest.
struct DescriptorBudget: Equatable {
    /// The descriptors that a server needs.
    struct Demand: Equatable {
        /// Files and sockets that are open before the server is built.
        var open: Int
        /// Daemons of both listeners: each has an epoll set, and its event thread one more and a descriptor to be woken
        /// by.
        var threads: Int
        /// `connections` of the public listener, which serves browsers.
        var browsers: Int
        /// `connections` of the admin listener; nil without one.
        var operators: Int?
        /// The most descriptors of connections to providers and APIs.
        var outbound: Int
        /// The most descriptors of the store.
        var store: Int
    }

    /// Descriptors that a server needs besides sockets: for the log, timers and the resolver.
    private static let own = 64
    /// The fewest connections of browsers with which a server starts.
    static let fewest = 32

    /// The descriptors that the process may have.
    let limit: Int
    /// The most connections of the public listener.
    let browsers: Int
    /// The most connections of the admin listener.
    let operators: Int
    /// True if the limit does not suffice for all that the settings ask for.
    let isShort: Bool
    /// The limit that suffices for all that the settings ask for.
    let wanted: Int

    /// Divides the limit among the listeners and outbound calls.
    ///
    /// If the limit does not suffice for all, the server's own descriptors come first. Of the rest, outbound calls get
    /// at most a third and the admin listener at most a sixth; the public listener gets the remainder.
    ///
    /// - Parameters:
    ///   - demand: The descriptors that the server needs with its settings.
    ///   - limit: The descriptors that the process may have.
    /// - Throws: `.descriptors` when less than `fewest` connections of browsers remain.
    init(_ demand: Demand, within limit: Int) throws(ServerError) {
        self.limit = limit
        let base = demand.open + Self.own + demand.store + 4 * demand.threads
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

    /// Logs a warning if the listeners keep fewer connections than the settings ask for.
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

    /// The most connections that a listener may have within a number of descriptors.
    private static func connections(within descriptors: Int) -> Int {
        // One more connection never needs more than two more sockets.
        var found = max(0, descriptors / 2 - 4)
        while found < descriptors, ListenerSettings.Limits.sockets(for: found + 1) <= descriptors { found += 1 }
        return found
    }
}

extension Settings {
    /// The most descriptors that a server with these settings needs.
    var descriptorDemand: DescriptorBudget.Demand {
        // Sign-ins, introspection and each API have separate connections; calls to an API with a token share none with
        // calls without a token.
        let apis = Set(routes.map { UpstreamPool(address: $0.upstream.origin, isAnonymous: $0.route.demand == .none) })
        let pools = outbound.connections * (issuers.isEmpty ? 1 : 2)
        let routed = apis.count * min(outbound.connections, outbound.connectionsPerHost)
        // The limits count connections in use on all event threads together; those kept idle on other threads are beyond,
        // one for each thread and API at least.
        let idle = listener.threads > 1 ? max(pools + routed, listener.threads * (apis.count + 1)) : 0
        return DescriptorBudget.Demand(
            open: ProcessDescriptors.openCount, threads: listener.threads + (admin?.threads ?? 0),
            browsers: listener.limits.connections, operators: admin?.limits.connections,
            outbound: HTTPClientSettings.descriptorsPerConnection * (pools + routed + idle),
            store: store.descriptorDemand(threads: listener.threads))
    }
}

/// The key of calls to APIs that share connections.
private struct UpstreamPool: Hashable {
    let address: String
    let isAnonymous: Bool
}
