internal import EventLoop

/// Watches the connections of a daemon, for their time limits, for clients that go away, and for the acceptor and a stop.
extension Daemon {
    /// Milliseconds between two checks of the time limits.
    static let sweepInterval: UInt64 = 100

    /// Watches a connection from its beginning on.
    ///
    /// libmicrohttpd misses the end of the client's side while a connection is suspended, and also when the last bytes
    /// and the end come together: its epoll set is edge-triggered and does not ask for `EPOLLRDHUP`. If the system has no
    /// memory for the watch, only the time limits end the connection.
    func watch(_ connection: Connection, _ loop: Loop) {
        let socket = connection.socket
        try? loop.watch(socket, for: .closed) { [unowned connection] loop, _ in
            loop.unwatch(socket)
            connection.noticeDisconnect(MonotonicClock.now())
        }
        if sweepTimer == nil { scheduleSweep(loop) }
    }

    /// Checks the time limits of all connections from time to time, as long as there are connections.
    private func scheduleSweep(_ loop: Loop) {
        sweepTimer = loop.schedule(at: .now + .milliseconds(Self.sweepInterval)) { [unowned self] loop in
            sweepTimer = nil
            guard !connections.isEmpty else { return }
            let now = MonotonicClock.now()
            for connection in connections.values { connection.checkTimes(now) }
            scheduleSweep(loop)
        }
    }

    // MARK: The order of waiting connections

    /// Notes that a connection waits for a head.
    func beginsIdle(_ connection: Connection) {
        connection.waiting = .idle(idle.append(connection))
    }

    /// Notes that a connection waits for a body.
    func beginsReceiving(_ connection: Connection) {
        connection.waiting = .receiving(receiving.append(connection))
    }

    /// Notes that a connection waits for its client no more, or for another thing from now on.
    func endsWaiting(_ connection: Connection) {
        switch connection.waiting {
        case .none: return
        case .idle(let place): idle.remove(place)
        case .receiving(let place): receiving.remove(place)
        }
        connection.waiting = .none
    }

    /// The ages of the connections that have waited longest, in the order in which they are to be hung up.
    func oldest(upTo count: Int) -> [OldestConnections.Age] {
        waiting(upTo: count).map(\.age)
    }

    /// Hangs up the connections that have waited longest.
    ///
    /// - Returns: The number of connections that were hung up.
    func dropOldest(upTo count: Int) -> Int {
        waiting(upTo: count).count { age, connection in
            age.isReceiving ? connection.dropIfReceiving() : connection.dropIfIdle()
        }
    }

    private func waiting(upTo count: Int) -> [(age: OldestConnections.Age, connection: Connection)] {
        var found: [(OldestConnections.Age, Connection)] = []
        // Connections that wait no more leave the lists here, so that none is visited twice in vain.
        var others: [Connection] = []
        idle.visit { connection in
            if let age = connection.idleAge { found.append((age, connection)) } else { others.append(connection) }
            return found.count < count
        }
        if found.count < count {
            receiving.visit { connection in
                if let age = connection.receivingAge {
                    found.append((age, connection))
                } else if connection.hasWholeBody {
                    others.append(connection)
                }
                return found.count < count
            }
        }
        for connection in others { endsWaiting(connection) }
        return found
    }

    // MARK: A stop

    /// Cancels the handlers after the grace of a stop.
    func giveUp() {
        thread.post { [self] _ in
            for connection in connections.values { connection.giveUp() }
        }
    }

    /// Ends the connections, once `DrainMonitor.isHalted` forbids suspending them again.
    func halt() {
        thread.post { [self] _ in
            for connection in connections.values { connection.halt() }
        }
    }
}
