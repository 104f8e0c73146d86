import Basics
import StorageKit

/// When this process may next prolong the provider session of each browser session in use.
///
/// The first look at one begins its time, because it was made or prolonged a moment ago, here or elsewhere. What was not
/// looked at for as long as a session may be idle is forgotten.
final class KeepTimes: Sendable {
    private struct State {
        var due: [FlightKey: Timestamp] = [:]
        var pruneAt = 1024
    }

    private let every: Duration
    private let idle: Duration
    private let state = Locked(State())

    init(every: Duration, idle: Duration) {
        self.every = every
        self.idle = idle
    }

    /// The provider sessions that are remembered.
    var count: Int { state.withLock { $0.due.count } }

    /// Whether it is time to prolong.
    func isDue(_ key: FlightKey, at now: Timestamp) -> Bool {
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

    /// Notes that it is done, or was tried.
    func tried(_ key: FlightKey, at now: Timestamp) {
        state.withLock { $0.due[key] = now + every }
    }
}
