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

    /// Hangs up the connection that has waited longest for a request.
    ///
    /// - Returns: False when none waits for one.
    func dropIdlest() -> Bool {
        let waiting = all.compactMap { connection in connection.idleSince.map { ($0, connection) } }
        // One that gets a request in this moment is passed over.
        return waiting.sorted { $0.0 < $1.0 }.contains { $0.1.dropIfIdle() }
    }

    /// Those that are open now.
    var all: [Connection] {
        state.withLock { Array($0.connections.values) }
    }
}
