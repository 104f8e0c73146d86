internal import Basics

/// Holds tasks back until a test lets them through, so that an order of events is forced instead of hoped for.
public final class Gate: Sendable {
    private struct State {
        var open = false
        var held: [CheckedContinuation<Void, Never>] = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Locked(State())

    /// A closed gate.
    public init() {}

    /// Waits until the gate opens; returns at once when it is open.
    public func pass() async {
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state -> [CheckedContinuation<Void, Never>] in
                if state.open { return [continuation] }
                state.held.append(continuation)
                let held = state.held.count
                let due = state.watchers.filter { $0.count <= held }.map(\.continuation)
                state.watchers.removeAll { $0.count <= held }
                return due
            }
            for continuation in ready { continuation.resume() }
        }
    }

    /// Lets everyone through, now and later.
    public func open() {
        let held = state.withLock { state in
            state.open = true
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }

    /// Waits until this many tasks are held at the gate.
    public func waitUntilHeld(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state in
                if state.held.count >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if ready { continuation.resume() }
        }
    }
}
