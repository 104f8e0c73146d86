import Basics

/// Runs work in the background after the response was sent, such as revoking tokens.
///
/// A response that carries a cookie must not wait for such work: a late one would replace a newer cookie.
package final class BackgroundTasks: Sendable {
    private struct State {
        var underWay = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    /// Has no work in flight.
    package init() {}

    /// Begins background work that ends by itself; it carries the caller's task-local values, but is not cancelled with
    /// the request.
    @discardableResult
    package func begin<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) -> Task<Value, Never> {
        state.withLock { $0.underWay += 1 }
        return Task(executorPreference: CurrentExecutor.preference) { [state] in
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

    /// Waits until no work is in flight.
    package func settled() async {
        await withCheckedContinuation { continuation in
            let isSettled = state.withLock { state in
                if state.underWay > 0 { state.waiting.append(continuation) }
                return state.underWay == 0
            }
            if isSettled { continuation.resume() }
        }
    }
}
