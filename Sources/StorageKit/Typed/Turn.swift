internal import Basics

/// Lets tasks through one at a time, in the order in which they came.
final class Turn: Sendable {
    private struct State {
        var taken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    /// Waits until it is the caller's turn; every `begin` needs one `end`.
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

    /// Hands the turn to the one who waits longest.
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
