import Basics

/// When the waiting revocations of a client are tried again, and how often the log says that they wait.
///
/// In memory alone: new settings begin anew, because they may be what was missing.
final class RevocationPauses: Sendable {
    private struct State {
        var failures = 0
        var next = Timestamp(milliseconds: .min)
        var told: Timestamp?
    }

    private let states = Locked<[String: State]>([:])
    private let time: any TimeSource
    private static let first = Duration.seconds(30)
    private static let longest = Duration.seconds(600)
    private static let between = Duration.seconds(60)

    init(_ time: any TimeSource) {
        self.time = time
    }

    /// Whether it is time to try the waiting revocations of a client.
    func isDue(_ client: String) -> Bool {
        let now = time.now()
        return states.withLock { states in states[client].map { now >= $0.next } ?? true }
    }

    /// The provider took something: everything else may follow at once.
    func succeeded(_ client: String) {
        states.withLock { states in
            states[client]?.failures = 0
            states[client]?.next = Timestamp(milliseconds: .min)
        }
    }

    /// The provider did not take the first of what waits: the next round comes later each time, up to ten minutes.
    func failed(_ client: String) {
        let now = time.now()
        states.withLock { states in
            var state = states[client] ?? State()
            let wait = min(Self.first * Int(1 << min(state.failures, 8)), Self.longest)
            state.failures += 1
            state.next = now + wait
            states[client] = state
        }
    }

    /// Whether the log is told of a failure now: once a minute for each client.
    func tells(_ client: String) -> Bool {
        let now = time.now()
        return states.withLock { states in
            if let told = states[client]?.told, told <= now, now < told + Self.between { return false }
            states[client, default: State()].told = now
            return true
        }
    }
}
