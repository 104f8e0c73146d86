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

    /// Hangs up the connection that has been without a request for longest.
    ///
    /// - Returns: False when every connection serves a request.
    func dropIdlest() -> Bool { dropIdlest(upTo: 1) > 0 }

    /// Hangs up the connections that have been without a request for longest.
    ///
    /// - Parameter count: How many at most.
    /// - Returns: How many it hung up.
    func dropIdlest(upTo count: Int) -> Int {
        let waiting = all.compactMap { connection in connection.idleSince.map { ($0, connection) } }
        var dropped = 0
        for (_, connection) in waiting.sorted(by: { $0.0 < $1.0 }) {
            guard dropped < count else { break }
            // One that gets a request in this moment is passed over.
            if connection.dropIfIdle() { dropped += 1 }
        }
        return dropped
    }

    /// Those that are open now.
    var all: [Connection] {
        state.withLock { Array($0.connections.values) }
    }
}
