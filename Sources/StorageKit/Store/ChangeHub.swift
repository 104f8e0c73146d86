internal import Basics
internal import Synchronization

/// Delivers change messages to the subscribers of this process.
///
/// A subscriber that has not read its last message gets no second one.
package final class ChangeHub: Sendable {
    private struct State {
        var subscribers: [StoreSubject: [UInt64: AsyncStream<Void>.Continuation]] = [:]
        var last: UInt64 = 0
        var isClosed = false
    }

    private let state = Locked(State())
    private let subscriptions = Atomic(0)
    private let unheard: @Sendable (StoreSubject) -> Void

    /// Makes a hub without subscribers.
    ///
    /// - Parameter unheard: Is told of each subject that lost its last subscriber, after that; another may have come since.
    package init(unheard: @escaping @Sendable (StoreSubject) -> Void = { _ in }) {
        self.unheard = unheard
    }

    /// True if the subject has a subscriber.
    package func isHeard(_ subject: StoreSubject) -> Bool {
        state.withLock { $0.subscribers[subject] != nil }
    }

    /// The number of open subscriptions; without any, a message costs next to nothing.
    package var count: Int { subscriptions.load(ordering: .relaxed) }

    /// Subscribes to messages from now on, until the hub is closed.
    ///
    /// - Throws: `.unavailable` if the hub is already closed.
    package func subscribe(to subject: StoreSubject) throws(StoreError) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state -> UInt64? in
            guard !state.isClosed else { return nil }
            state.last += 1
            state.subscribers[subject, default: [:]][state.last] = continuation
            subscriptions.add(1, ordering: .relaxed)
            return state.last
        }
        guard let number else { throw .unavailable }
        continuation.onTermination = { [weak self] _ in self?.unsubscribe(number, from: subject) }
        return stream
    }

    /// Tells the subscribers of a subject to read it again.
    package func send(_ subject: StoreSubject) {
        guard count > 0 else { return }
        let listeners = state.withLock { $0.subscribers[subject].map { Array($0.values) } ?? [] }
        for listener in listeners { listener.yield() }
    }

    /// Tells every subscriber to read its subject again.
    package func sendToAll() {
        let listeners = state.withLock { $0.subscribers.values.flatMap(\.values) }
        for listener in listeners { listener.yield() }
    }

    /// Ends all streams; later subscriptions fail.
    package func close() {
        let listeners = state.withLock { state in
            state.isClosed = true
            return state.subscribers.values.flatMap(\.values)
        }
        for listener in listeners { listener.finish() }
    }

    private func unsubscribe(_ number: UInt64, from subject: StoreSubject) {
        let isLast = state.withLock { state in
            guard state.subscribers[subject]?.removeValue(forKey: number) != nil else { return false }
            subscriptions.subtract(1, ordering: .relaxed)
            guard state.subscribers[subject]?.isEmpty == true else { return false }
            state.subscribers[subject] = nil
            return true
        }
        if isLast { unheard(subject) }
    }
}
