internal import Basics

/// The open connections of a listener.
final class ConnectionRegistry: Sendable {
    private struct State {
        var connections: [UInt64: Connection] = [:]
        var lastID: UInt64 = 0
    }

    private let state = Locked(State())

    /// Adds a connection.
    ///
    /// - Returns: The connection's number, never 0 and never reused; `isOnly` is true if no other connection is open.
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
    /// - Returns: False when no connection waits for a head or for the rest of a body.
    func dropIdlest() -> Bool { dropIdlest(upTo: 1) > 0 }

    /// Hangs up the connections that have been without a complete request for longest.
    ///
    /// Connections without a complete head go first, then connections with a body in flight: a flood of bodies that are
    /// never sent to their end must not keep all other clients out.
    ///
    /// - Parameter count: The most connections to hang up.
    /// - Returns: The number of connections that were hung up.
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
            // A connection whose request has become complete in the meantime is skipped.
            if drop(connection) { dropped += 1 }
        }
        return dropped
    }

    /// The connections that are open now.
    var all: [Connection] {
        state.withLock { Array($0.connections.values) }
    }
}
