internal import Basics

/// The switches for what goes wrong; may be used from any thread while the simulator runs.
package final class Faults: Sendable {
    /// The most faults at a time; the oldest is forgotten.
    package static let capacity = 100

    private struct State {
        var faults: [Fault] = []
        var outage = false
        var clockOffset = Duration.zero
    }

    private let state = Locked(State())

    init() {}

    /// Adds a fault behind those that are there.
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

    /// The faults that are not over, with what is left of their counts.
    package var all: [Fault] { state.withLock { $0.faults } }

    /// Whether nothing is answered at all: every connection is cut.
    package var outage: Bool {
        get { state.withLock { $0.outage } }
        set { state.withLock { $0.outage = newValue } }
    }

    /// How far the simulator's clock is ahead of the one it was given.
    package var clockOffset: Duration {
        get { state.withLock { $0.clockOffset } }
        set { state.withLock { $0.clockOffset = newValue } }
    }

    /// Puts everything right again, the clock included.
    package func clear() {
        state.withLock { $0 = State() }
    }

    /// What happens to a request: how long it waits, and the first effect that is no latency.
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

/// The clock that the simulator lives by: another one, moved by the fault switch.
struct ShiftedTime: TimeSource {
    let base: any TimeSource
    let faults: Faults

    func now() -> Timestamp { base.now() + faults.clockOffset }

    func sleep(for span: Duration) async throws { try await base.sleep(for: span) }
}
