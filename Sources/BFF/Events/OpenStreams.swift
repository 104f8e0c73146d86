import Basics

/// The event streams that this process holds open, and their end when the server stops.
package final class OpenStreams: Sendable {
    private struct State {
        var last: UInt64 = 0
        var wakes: [UInt64: @Sendable () -> Void] = [:]
        var isDraining = false
    }

    private let state = Locked(State())

    /// The number of open streams.
    package var count: Int { state.withLock { $0.wakes.count } }

    /// True if every stream ends now, because the server stops.
    var isDraining: Bool { state.withLock { $0.isDraining } }

    /// Ends all streams, because the server stops.
    package func drain() {
        let wakes = state.withLock { state in
            state.isDraining = true
            return Array(state.wakes.values)
        }
        for wake in wakes { wake() }
    }

    /// Adds a stream; `wake` wakes it.
    ///
    /// - Returns: The number of the stream, for `end`.
    func begin(_ wake: @escaping @Sendable () -> Void) -> UInt64 {
        state.withLock { state in
            state.last += 1
            state.wakes[state.last] = wake
            return state.last
        }
    }

    /// Removes a stream.
    func end(_ number: UInt64) {
        state.withLock { $0.wakes[number] = nil }
    }
}
