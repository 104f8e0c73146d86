extension RedisSettings {
    /// The masters of a cluster that a server has room for, beside flooded listeners, without being told of them.
    package static let countedMasters = 16

    /// The most sockets of a store.
    ///
    /// - Parameter threads: The event threads, each of which has connections of its own.
    /// - Returns: The number.
    package func descriptorDemand(threads: Int) -> Int {
        // One more connection listens to messages.
        switch address {
        case .tcp, .socket: threads + 1
        // Each thread asks all sentinels where the primary is, and one watches them.
        case .sentinels(let sentinels): threads * (1 + sentinels.hosts.count) + sentinels.hosts.count + 1
        // Each thread asks up to eight nodes at a time for the slots.
        case .cluster(let cluster): threads * (max(Self.countedMasters, cluster.nodes.count) + 8) + 1
        }
    }
}
