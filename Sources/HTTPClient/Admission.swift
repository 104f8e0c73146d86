internal import Basics

/// The limits of a transport and the exchanges that wait for a place, for all its event threads together.
///
/// Every exchange that was admitted is either withdrawn while it waits, or released once. The lock is never held during
/// I/O.
final class Admission: Sendable {
    private struct State {
        var queues: [RequestPool: TransferQueue<String, ObjectIdentifier>] = [:]
        var waiting: [ObjectIdentifier: ClientExchange] = [:]
    }

    private let settings: HTTPClientSettings
    private let state = Locked(State())

    init(_ settings: HTTPClientSettings) {
        self.settings = settings
    }

    /// Accepts a new exchange; `.start` counts it as running.
    func admit(_ exchange: ClientExchange) -> TransferQueueDecision {
        let destination = exchange.plan.destination
        return state.withLock { state in
            let decision = state.queues[
                destination.pool,
                default: TransferQueue(
                    perHost: settings.connectionsPerHost, total: settings.connections,
                    waiting: settings.waitingRequests)
            ].admit(ObjectIdentifier(exchange), to: destination.origin)
            if decision == .wait { state.waiting[ObjectIdentifier(exchange)] = exchange }
            return decision
        }
    }

    /// Ends an exchange that was admitted: takes it out of its queue, or frees its place.
    func end(_ exchange: ClientExchange) {
        let destination = exchange.plan.destination
        state.withLock { state in
            if state.waiting.removeValue(forKey: ObjectIdentifier(exchange)) != nil {
                _ = state.queues[destination.pool]?.withdraw(ObjectIdentifier(exchange))
            } else {
                state.queues[destination.pool]?.release(destination.origin)
            }
        }
    }

    /// A waiting exchange that may start now, counted as running; nil when none may start.
    func next() -> ClientExchange? {
        state.withLock { state in
            guard !state.waiting.isEmpty else { return nil }
            // Collected first: a queue that is changed while the dictionary is walked would be copied.
            for pool in state.queues.compactMap({ $0.value.waiting > 0 ? $0.key : nil }) {
                guard let id = state.queues[pool]?.next() else { continue }
                return state.waiting.removeValue(forKey: id)
            }
            return nil
        }
    }
}
