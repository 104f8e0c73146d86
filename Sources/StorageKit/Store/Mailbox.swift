internal import Basics

/// The messages that wait for one subscriber.
///
/// When there are more than fit, all of them make way for one `.missed`: it says everything they would have said.
final class Mailbox: Sendable {
    private struct State {
        var waiting: [StoreChange] = []
        var reader: CheckedContinuation<StoreChange?, Never>?
        var closed = false
    }

    private let state = Locked(State())
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
    }

    func send(_ change: StoreChange) {
        let reader = state.withLock { state -> CheckedContinuation<StoreChange?, Never>? in
            guard !state.closed else { return nil }
            if let reader = state.reader {
                state.reader = nil
                return reader
            }
            guard state.waiting != [.missed] else { return nil }
            state.waiting = state.waiting.count < capacity ? state.waiting + [change] : [.missed]
            return nil
        }
        reader?.resume(returning: change)
    }

    /// The next message, nil after `close`; there is one reader at a time, a second one ends the first.
    func next() async -> StoreChange? {
        await withCheckedContinuation { continuation in
            let answer = state.withLock { state -> (to: CheckedContinuation<StoreChange?, Never>, StoreChange?)? in
                if !state.waiting.isEmpty { return (continuation, state.waiting.removeFirst()) }
                if state.closed { return (continuation, nil) }
                defer { state.reader = continuation }
                return state.reader.map { ($0, nil) }
            }
            if let answer { answer.to.resume(returning: answer.1) }
        }
    }

    /// Ends the stream once what waits has been read.
    func close() {
        let reader = state.withLock { state -> CheckedContinuation<StoreChange?, Never>? in
            state.closed = true
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: nil)
    }
}
