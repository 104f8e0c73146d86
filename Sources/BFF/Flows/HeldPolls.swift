import Basics
import StorageKit

/// Counts the polls that this process holds, and stops holding polls when the server stops.
package final class HeldPolls: Sendable {
    private struct State {
        var count = 0
        var sessions: [SessionKey: Int] = [:]
        var isDraining = false
    }

    private let state = Locked(State())

    /// The number of polls that are held.
    var count: Int { state.withLock { $0.count } }

    /// True if no poll is held any more, because the server stops.
    var isDraining: Bool { state.withLock { $0.isDraining } }

    /// Stops holding polls, because the server stops: held polls are answered within a second, at their next look.
    package func drain() { state.withLock { $0.isDraining = true } }

    /// Begins to hold a poll of a session; a caller that gets true has to call `end`.
    ///
    /// - Returns: False if as many polls are held as allowed, or the server stops.
    func begin(_ session: SessionKey, _ settings: BFFSettings) -> Bool {
        state.withLock { state in
            // rule: polls that are held have a bound
            guard !state.isDraining, state.count < settings.heldPolls,
                // rule: polls that are held have a bound for each session
                state.sessions[session, default: 0] < settings.heldPollsPerSession
            else { return false }
            state.count += 1
            state.sessions[session, default: 0] += 1
            return true
        }
    }

    /// Ends the hold of a poll of a session.
    func end(_ session: SessionKey) {
        state.withLock { state in
            state.count -= 1
            let left = (state.sessions[session] ?? 0) - 1
            state.sessions[session] = left > 0 ? left : nil
        }
    }
}
