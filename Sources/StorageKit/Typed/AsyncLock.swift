internal import Basics

/// A lock that may be held over an `await`: lets tasks through one at a time, in order of arrival.
final class AsyncLock: Sendable {
    private struct State {
        var taken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    /// Waits until the lock is free; every `begin` needs one `end`.
    func begin() async {
        guard !take() else { return }
        await withCheckedContinuation { continuation in
            let free = state.withLock { state -> Bool in
                guard state.taken else {
                    state.taken = true
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if free { continuation.resume() }
        }
    }

    /// Passes the lock to the task that has waited longest.
    func end() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiting.isEmpty else {
                state.taken = false
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }

    private func take() -> Bool {
        state.withLock { state in
            guard !state.taken else { return false }
            state.taken = true
            return true
        }
    }
}
