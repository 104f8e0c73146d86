/// The connections of one event thread that are open and carry nothing; no I/O.
///
/// The one used last is used first, so that those beyond the need grow old and are closed.
struct IdleConnections {
    private var lists: [Destination: [CurlConnection]] = [:]

    /// The number of connections.
    private(set) var count = 0

    init() {}

    /// Adds a connection that has become idle.
    mutating func put(_ connection: CurlConnection) {
        lists[connection.destination, default: []].append(connection)
        count += 1
    }

    /// Takes the connection to a destination that was used last; nil when there is none.
    mutating func take(_ destination: Destination) -> CurlConnection? {
        guard let connection = lists[destination]?.popLast() else { return nil }
        count -= 1
        return connection
    }

    /// Removes a connection; false when it is not here.
    mutating func remove(_ connection: CurlConnection) -> Bool {
        guard let place = lists[connection.destination]?.firstIndex(where: { $0 === connection }) else { return false }
        lists[connection.destination]?.remove(at: place)
        count -= 1
        return true
    }

    /// The number of connections of a pool.
    func count(in pool: RequestPool) -> Int {
        lists.reduce(0) { $0 + ($1.key.pool == pool ? $1.value.count : 0) }
    }

    /// Takes the connection of a pool that has been idle longest.
    mutating func takeOldest(in pool: RequestPool) -> CurlConnection? {
        // A list is in the order in which its connections became idle.
        let firsts = lists.filter { $0.key.pool == pool }.compactMap(\.value.first)
        guard let oldest = firsts.min(by: { $0.idleSince < $1.idleSince }), remove(oldest) else { return nil }
        return oldest
    }

    /// Takes every connection that is not to be kept.
    mutating func takeAll(where isOver: (CurlConnection) -> Bool) -> [CurlConnection] {
        var over: [CurlConnection] = []
        for (destination, list) in lists {
            let left = list.filter { !isOver($0) }
            if left.count < list.count { over += list.filter { isOver($0) } }
            lists[destination] = left.isEmpty ? nil : left
        }
        count -= over.count
        return over
    }
}
