import Basics
import StorageKit

/// Counts the polls that this process holds, and says when it holds none any more.
package final class HeldPolls: Sendable {
    private struct State {
        var count = 0
        var sessions: [SessionKey: Int] = [:]
        var isDraining = false
    }

    private let state = Locked(State())

    /// The polls that are held.
    var count: Int { state.withLock { $0.count } }

    /// Whether no poll is held any more, because the server stops.
    var isDraining: Bool { state.withLock { $0.isDraining } }

    /// Holds no poll any more, because the server stops: those that are held are answered at their next look, within a
    /// second.
    package func drain() { state.withLock { $0.isDraining = true } }

    /// Begins to hold a poll of a session; who gets true calls `end`.
    ///
    /// - Returns: false when as many are held as may be.
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

    /// A poll of a session is held no longer.
    func end(_ session: SessionKey) {
        state.withLock { state in
            state.count -= 1
            let left = (state.sessions[session] ?? 0) - 1
            state.sessions[session] = left > 0 ? left : nil
        }
    }
}
