import Basics
package import StorageKit

/// The sessions that this process created for browsers that have not signed in, bounded so that a flood cannot fill the
/// store.
///
/// Beyond the limit the oldest session without an accepted step is ended; sign-ins are not refused. A mark in the store
/// says which sessions have taken no step, in this process or another.
package final class AnonymousSessions: Sendable {
    /// The field that marks a session in which no step has been accepted.
    ///
    /// It is not sealed: its bytes say nothing and are removed unread.
    package static let marker = "new"

    private struct State {
        var queue: [SessionKey?] = []
        var head = 0
        var positions: [SessionKey: Int] = [:]
    }

    private let limit: Int
    private let state = Locked(State())

    /// Remembers up to `limit` sessions, and at least one.
    package init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// The number of sessions that are remembered.
    var count: Int { state.withLock { $0.positions.count } }

    /// Remembers a new session.
    ///
    /// - Returns: The oldest session if there are now more than the limit; it is no longer remembered. Otherwise nil.
    package func add(_ key: SessionKey) -> SessionKey? {
        state.withLock { state -> SessionKey? in
            state.positions[key] = state.queue.count
            state.queue.append(key)
            guard state.positions.count > limit else { return nil }
            while state.head < state.queue.count {
                let candidate = state.queue[state.head]
                state.queue[state.head] = nil
                state.head += 1
                guard let candidate else { continue }
                state.positions[candidate] = nil
                compact(&state)
                return candidate
            }
            return nil
        }
    }

    /// Forgets a session that took a step, signed in or ended, so that the limit no longer ends it.
    package func remove(_ key: SessionKey?) {
        guard let key else { return }
        state.withLock { state in
            if let position = state.positions.removeValue(forKey: key) { state.queue[position] = nil }
            while state.head < state.queue.count, state.queue[state.head] == nil { state.head += 1 }
            compact(&state)
        }
    }

    private func compact(_ state: inout State) {
        guard state.head > 1024, state.head > state.queue.count / 2 else { return }
        state.queue.removeFirst(state.head)
        state.head = 0
        for (index, key) in state.queue.enumerated() {
            if let key { state.positions[key] = index }
        }
    }
}

extension SessionStore {
    /// Ends a session that has not taken a step, and leaves any other session alone.
    package func evict(_ key: SessionKey) async {
        do {
            let snapshot = try await store.read(key, .names([AnonymousSessions.marker]))
            guard let mark = snapshot[AnonymousSessions.marker] else { return }
            // The same commit deletes the mark and expires the session, so a step accepted at this moment wins or loses
            // as a whole.
            try await store.commit(
                key,
                .update(
                    expires: time.now(),
                    writes: [.delete(AnonymousSessions.marker, expected: .revision(mark.revision))]))
        } catch {
            // The session has just taken a step or ended, or the store is unavailable: the session ends by its own
            // timeout.
        }
    }
}
