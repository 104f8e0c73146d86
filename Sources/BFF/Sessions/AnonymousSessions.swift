import Basics
import StorageKit

/// The sessions that this process made for browsers that have not signed in, so that a flood of them has a bound.
///
/// At the cap the oldest one without an accepted step goes; sign-ins are not refused. Which ones have taken a step, here or in
/// another process, is said by a mark in the store.
final class AnonymousSessions: Sendable {
    /// The field that a session has until it takes a step; not sealed, for it says nothing and is removed unread.
    static let marker = "new"

    private struct State {
        var queue: [SessionKey?] = []
        var head = 0
        var positions: [SessionKey: Int] = [:]
    }

    private let limit: Int
    private let state = Locked(State())

    init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// The sessions that are remembered.
    var count: Int { state.withLock { $0.positions.count } }

    /// Remembers a new session.
    ///
    /// - Returns: The oldest one when there are more than may be; it is forgotten.
    func add(_ key: SessionKey) -> SessionKey? {
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

    /// Forgets a session that took a step, signed in or ended: it is no longer one of those that go.
    func remove(_ key: SessionKey?) {
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

extension BrowserSessions {
    /// Ends a session that has not taken a step; one that has, is left alone.
    func evict(_ key: SessionKey) async {
        do {
            let snapshot = try await environment.store.read(key, .names([AnonymousSessions.marker]))
            guard let mark = snapshot[AnonymousSessions.marker] else { return }
            // Expired in the commit that sees the mark: a step that is accepted at this moment wins or loses as a whole.
            try await environment.store.commit(
                key,
                .update(
                    expires: environment.now(),
                    writes: [.delete(AnonymousSessions.marker, expected: .revision(mark.revision))]))
        } catch {
            // It took a step just now, has ended, or the store is away: its own end will come.
        }
    }
}
