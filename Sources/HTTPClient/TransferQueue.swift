/// The decision about a new exchange.
enum TransferQueueDecision: Equatable {
    case start
    case wait
    case refuse
}

/// Decides which exchange may run now, which must wait and which is refused; no I/O.
///
/// Waiting exchanges start in order of arrival, except that an exchange whose host is at its limit lets later ones
/// pass.
struct TransferQueue<Host: Hashable, ID: Hashable> {
    private struct Place {
        let host: Host
        let turn: UInt64
    }

    /// The exchanges that wait for one host, in order.
    ///
    /// Withdrawn exchanges stay in `entries` until they are reached or outnumber the others.
    private struct Queue {
        var entries: ArraySlice<(turn: UInt64, id: ID)> = []
        var live = 0
    }

    private let perHost: Int
    private let total: Int
    private let bound: Int
    private var running: [Host: Int] = [:]
    private var runningTotal = 0
    private var queues: [Host: Queue] = [:]
    private var places: [ID: Place] = [:]
    private var lastTurn: UInt64 = 0

    init(perHost: Int, total: Int, waiting bound: Int) {
        self.perHost = perHost
        self.total = total
        self.bound = bound
    }

    /// The number of waiting exchanges.
    var waiting: Int { places.count }

    /// Accepts a new exchange; `.start` counts it as running.
    mutating func admit(_ id: ID, to host: Host) -> TransferQueueDecision {
        if queues[host] == nil, hasRoom(for: host) {
            occupy(host)
            return .start
        }
        // rule: the requests that wait for a connection are bounded
        guard places.count < bound else { return .refuse }
        lastTurn += 1
        places[id] = Place(host: host, turn: lastTurn)
        queues[host, default: Queue()].entries.append((lastTurn, id))
        queues[host]?.live += 1
        return .wait
    }

    /// Removes a waiting exchange.
    ///
    /// - Returns: True if it was waiting.
    mutating func withdraw(_ id: ID) -> Bool {
        guard let place = places.removeValue(forKey: id), var queue = queues.removeValue(forKey: place.host) else {
            return false
        }
        queue.live -= 1
        if queue.live == 0 { return true }
        if queue.entries.count > 2 * queue.live + 32 {
            queue.entries = ArraySlice(queue.entries.filter { places[$0.id]?.turn == $0.turn })
        }
        queues[place.host] = queue
        return true
    }

    /// Records that a running exchange has ended.
    mutating func release(_ host: Host) {
        runningTotal -= 1
        let left = (running[host] ?? 1) - 1
        running[host] = left == 0 ? nil : left
    }

    /// The waiting exchange that may start now, counted as running; nil when none may start.
    mutating func next() -> ID? {
        var best: (host: Host, turn: UInt64)?
        for (host, var queue) in queues where hasRoom(for: host) {
            // Every queue that is kept has a live entry, so the loop ends.
            while let first = queue.entries.first, places[first.id]?.turn != first.turn { queue.entries.removeFirst() }
            queues[host] = queue
            guard let first = queue.entries.first else { continue }
            if best.map({ first.turn < $0.turn }) ?? true { best = (host, first.turn) }
        }
        guard let host = best?.host, let id = queues[host]?.entries.first?.id else { return nil }
        _ = withdraw(id)
        occupy(host)
        return id
    }

    private func hasRoom(for host: Host) -> Bool {
        // rule: the exchanges in all are bounded
        guard runningTotal < total else { return false }
        // rule: the exchanges with one host are bounded | true
        return running[host, default: 0] < perHost
    }

    private mutating func occupy(_ host: Host) {
        runningTotal += 1
        running[host, default: 0] += 1
    }
}
