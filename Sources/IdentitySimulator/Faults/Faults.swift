internal import Basics

/// The switches for faults; may be used from any thread while the simulator runs.
package final class Faults: Sendable {
    /// The maximum number of faults at a time; the oldest is dropped.
    package static let capacity = 100

    private struct State {
        var faults: [Fault] = []
        var outage = false
        var clockOffset = Duration.zero
    }

    private let state = Locked(State())

    init() {}

    /// Adds a fault behind the present ones.
    package func add(_ fault: Fault) {
        state.withLock { state in
            if state.faults.count >= Self.capacity { state.faults.removeFirst() }
            state.faults.append(fault)
        }
    }

    /// Adds a fault, see `Fault`.
    package func add(_ effect: Fault.Effect, path: String? = nil, count: Int? = nil) {
        add(Fault(effect, path: path, count: count))
    }

    /// The present faults, with the rest of their counts.
    package var all: [Fault] { state.withLock { $0.faults } }

    /// True if no request is answered: every connection is closed.
    package var outage: Bool {
        get { state.withLock { $0.outage } }
        set { state.withLock { $0.outage = newValue } }
    }

    /// The offset of the simulator's clock from the clock that it was given.
    package var clockOffset: Duration {
        get { state.withLock { $0.clockOffset } }
        set { state.withLock { $0.clockOffset = newValue } }
    }

    /// Removes all faults and the clock offset.
    package func clear() {
        state.withLock { $0 = State() }
    }

    /// The faults that apply to a request: its delay, and the first effect that is no latency.
    func take(for path: Substring) -> (delay: Duration, effect: Fault.Effect?) {
        state.withLock { state in
            if state.outage { return (.zero, .drop) }
            var delay = Duration.zero
            var effect: Fault.Effect?
            for index in state.faults.indices where state.faults[index].concerns(path) {
                if case .latency(let span) = state.faults[index].effect {
                    delay += span
                } else {
                    effect = state.faults[index].effect
                }
                state.faults[index].count = state.faults[index].count.map { $0 - 1 }
                if effect != nil { break }
            }
            state.faults.removeAll { $0.count == 0 }
            return (delay, effect)
        }
    }
}

extension Fault {
    func concerns(_ requested: Substring) -> Bool {
        guard let path else { return true }
        let wanted = path.hasPrefix("/") ? path : "/" + path
        return requested.hasSuffix(wanted)
    }
}

/// The simulator's clock: the given clock, moved by `Faults.clockOffset`.
struct ShiftedTime: TimeSource {
    let base: any TimeSource
    let faults: Faults

    func now() -> Timestamp { base.now() + faults.clockOffset }

    func sleep(for span: Duration) async throws { try await base.sleep(for: span) }
}
