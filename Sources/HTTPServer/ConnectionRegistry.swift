internal import Basics

/// The connections that are open.
final class ConnectionRegistry: Sendable {
    private struct State {
        var connections: [UInt64: Connection] = [:]
        var lastID: UInt64 = 0
    }

    private let state = Locked(State())

    /// Adds a connection.
    ///
    /// - Returns: Its number, never 0 and never given again; and whether it is the only one.
    func add(_ connection: Connection) -> (id: UInt64, isOnly: Bool) {
        state.withLock { state in
            state.lastID += 1
            state.connections[state.lastID] = connection
            return (state.lastID, state.connections.count == 1)
        }
    }

    func remove(_ id: UInt64) {
        state.withLock { state in _ = state.connections.removeValue(forKey: id) }
    }

    subscript(id: UInt64) -> Connection? {
        state.withLock { $0.connections[id] }
    }

    /// Hangs up the connection that has been without a complete request for longest.
    ///
    /// - Returns: False when every connection serves a request that has come whole.
    func dropIdlest() -> Bool { dropIdlest(upTo: 1) > 0 }

    /// Hangs up the connections that have been without a complete request for longest.
    ///
    /// Those without a head go first, and only then those whose bodies are on their way: a flood of bodies that are never
    /// sent to their end must not keep everybody out.
    ///
    /// - Parameter count: How many at most.
    /// - Returns: How many it hung up.
    func dropIdlest(upTo count: Int) -> Int {
        let idle = drop(upTo: count, by: \.idleSince) { $0.dropIfIdle() }
        guard idle < count else { return idle }
        return idle + drop(upTo: count - idle, by: \.receivingSince) { $0.dropIfReceiving() }
    }

    private func drop(
        upTo count: Int, by age: (Connection) -> (UInt64, UInt64)?, _ drop: (Connection) -> Bool
    ) -> Int {
        let waiting = all.compactMap { connection in age(connection).map { ($0, connection) } }
        var dropped = 0
        for (_, connection) in waiting.sorted(by: { $0.0 < $1.0 }) {
            guard dropped < count else { break }
            // One whose request is complete in this moment is passed over.
            if drop(connection) { dropped += 1 }
        }
        return dropped
    }

    /// Those that are open now.
    var all: [Connection] {
        state.withLock { Array($0.connections.values) }
    }
}
