package import Basics
import StorageKit

/// The times from which this process may prolong the provider session of each browser session in use.
///
/// The first look at a provider session starts its interval, because it was created or prolonged a moment ago, here or
/// in another process. From 1024 entries on, times that are past by more than the idle timeout are forgotten.
package final class KeepTimes: Sendable {
    private struct State {
        var due: [FlightKey: Timestamp] = [:]
        var pruneAt = 1024
    }

    private let every: Duration
    private let idle: Duration
    private let state = Locked(State())

    /// Times that are `every` apart, for sessions with this idle timeout.
    package init(every: Duration, idle: Duration) {
        self.every = every
        self.idle = idle
    }

    /// The number of provider sessions that are remembered.
    package var count: Int { state.withLock { $0.due.count } }

    /// True if the provider session is due to be prolonged.
    package func isDue(_ key: FlightKey, at now: Timestamp) -> Bool {
        state.withLock { state in
            if let due = state.due[key] { return now >= due }
            if state.due.count >= state.pruneAt {
                state.due = state.due.filter { now < $0.value + idle }
                state.pruneAt = max(1024, 2 * state.due.count)
            }
            state.due[key] = now + every
            return false
        }
    }

    /// Notes that the provider session was prolonged, or that prolonging it was tried.
    package func tried(_ key: FlightKey, at now: Timestamp) {
        state.withLock { $0.due[key] = now + every }
    }
}
