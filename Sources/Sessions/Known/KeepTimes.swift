package import Basics
import StorageKit

/// For each provider session in use, the time at which this process prolongs it next.
///
/// A provider session that is asked about for the first time gets a whole interval, because it was created or prolonged
/// a moment ago, here or in another process. From 1024 entries on, times that are past by more than the idle timeout are
/// forgotten.
package final class KeepTimes: Sendable {
    private struct State {
        var due: [FlightKey: Timestamp] = [:]
        var pruneAt = 1024
    }

    private let every: Duration
    private let idle: Duration
    private let state = Locked(State())

    /// Makes times that are `every` apart, for browser sessions with this idle timeout.
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

    /// Starts a new interval after an attempt to prolong the provider session, successful or not.
    package func noteAttempt(_ key: FlightKey, at now: Timestamp) {
        state.withLock { $0.due[key] = now + every }
    }
}
