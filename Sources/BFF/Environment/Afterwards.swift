import Basics

/// What goes on after the answer to the request that brought it about, as telling providers what has ended.
///
/// An answer that carries a cookie must not wait for it: one that comes late takes the place of a newer cookie.
final class Afterwards: Sendable {
    private struct State {
        var underWay = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    /// Begins work that ends by itself; it belongs to the caller's request, and is not cancelled with it.
    @discardableResult
    func begin<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) -> Task<Value, Never> {
        state.withLock { $0.underWay += 1 }
        return Task {
            let value = await work()
            let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
                state.underWay -= 1
                guard state.underWay == 0 else { return [] }
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
            return value
        }
    }

    /// Waits until nothing is under way.
    func settled() async {
        await withCheckedContinuation { continuation in
            let isSettled = state.withLock { state in
                if state.underWay > 0 { state.waiting.append(continuation) }
                return state.underWay == 0
            }
            if isSettled { continuation.resume() }
        }
    }
}
