package import Basics

/// The times from which the waiting revocations of a client are retried, and the rate at which failures are logged.
///
/// Kept in memory only: new settings start without pauses, because they may correct the cause of the failures.
package final class RevocationPauses: Sendable {
    private struct State {
        var failures = 0
        var next = Timestamp(milliseconds: .min)
        var loggedAt: Timestamp?
    }

    private let states = Locked<[String: State]>([:])
    private let time: any TimeSource
    private static let first = Duration.seconds(30)
    private static let longest = Duration.seconds(600)
    private static let between = Duration.seconds(60)

    /// Has no pause.
    package init(_ time: any TimeSource) {
        self.time = time
    }

    /// True if the waiting revocations of a client are due to be retried.
    package func isDue(_ client: String) -> Bool {
        let now = time.now()
        return states.withLock { states in states[client].map { now >= $0.next } ?? true }
    }

    /// Notes that the provider ended something, so all other revocations of the client may be tried at once.
    package func succeeded(_ client: String) {
        states.withLock { states in
            states[client]?.failures = 0
            states[client]?.next = Timestamp(milliseconds: .min)
        }
    }

    /// Notes that the provider failed; the pause before the next round doubles from 30 seconds up to ten minutes.
    package func failed(_ client: String) {
        let now = time.now()
        states.withLock { states in
            var state = states[client] ?? State()
            let wait = min(Self.first * Int(1 << min(state.failures, 8)), Self.longest)
            state.failures += 1
            state.next = now + wait
            states[client] = state
        }
    }

    /// True if a failure is to be logged now: once a minute for each client.
    package func shouldLog(_ client: String) -> Bool {
        let now = time.now()
        return states.withLock { states in
            if let loggedAt = states[client]?.loggedAt, loggedAt <= now, now < loggedAt + Self.between { return false }
            states[client, default: State()].loggedAt = now
            return true
        }
    }
}
