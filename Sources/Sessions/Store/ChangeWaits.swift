package import Basics
package import StorageKit

/// Waits for changes by other processes: by the change messages of the store, or by polling where it has none.
package struct ChangeWaits: Sendable {
    private let messages: (any ChangeMessages)?
    private let interval: Duration
    private let safetyInterval: Duration
    private let deadlines: DeadlineQueue

    /// Makes waits by the change messages of a store.
    ///
    /// - Parameters:
    ///   - messages: The messages; nil for a store that has none.
    ///   - interval: The time between two looks while the store sends no messages.
    ///   - safetyInterval: The longest time between two looks while it sends messages: an expiry by the clock sends no
    ///     message, and a store may lose messages.
    ///   - time: The clock of deadlines.
    package init(
        _ messages: (any ChangeMessages)?, interval: Duration, safetyInterval: Duration, _ time: any TimeSource
    ) {
        deadlines = DeadlineQueue(time)
        self.messages = messages
        self.interval = interval
        self.safetyInterval = safetyInterval
    }

    /// Begins a wait for changes of a part of the store; a change from now on wakes it.
    package func begin(on subject: StoreSubject) async -> ChangeWait {
        let (wakes, wake) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let pace = Locked(interval)
        let listener = await listen(to: subject, pace, wake)
        return ChangeWait(wakes, wake: wake, pace: pace, listener: listener, deadlines: deadlines)
    }

    /// Wakes the wait at each message until it is cancelled; nil when the store has no messages or the subscription
    /// fails.
    private func listen(
        to subject: StoreSubject, _ pace: Locked<Duration>, _ wake: AsyncStream<Void>.Continuation
    ) async -> Task<Void, Never>? {
        guard let messages, let changes = try? await messages.changes(of: subject) else { return nil }
        pace.withLock { $0 = safetyInterval }
        return Task(executorPreference: CurrentExecutor.preference) { [interval] in
            for await _ in changes { wake.yield() }
            // The store sends no more messages.
            pace.withLock { $0 = interval }
            wake.yield()
        }
    }
}

/// One wait for changes, which looks again at each wake-up; it belongs to one task.
package final class ChangeWait {
    /// Listens to the messages of the store until it is cancelled.
    fileprivate typealias Listener = Task<Void, Never>

    private var wakeUps: AsyncStream<Void>.AsyncIterator
    private let wake: AsyncStream<Void>.Continuation
    private let pace: Locked<Duration>
    private let listener: Listener?
    private let deadlines: DeadlineQueue

    fileprivate init(
        _ wakes: AsyncStream<Void>, wake: AsyncStream<Void>.Continuation, pace: Locked<Duration>,
        listener: Listener?, deadlines: DeadlineQueue
    ) {
        wakeUps = wakes.makeAsyncIterator()
        self.wake = wake
        self.pace = pace
        self.listener = listener
        self.deadlines = deadlines
    }

    /// Waits for a change, for the interval of looks, or until the deadline or the end of the task.
    ///
    /// - Returns: False, at once, if the deadline is over.
    package func wake(until deadline: ContinuousClock.Instant) async -> Bool {
        let now = ContinuousClock.now
        guard now < deadline else { return false }
        let ticket = deadlines.add(at: min(deadline, now + pace.withLock { $0 })) { [wake] in wake.yield() }
        await wakeUps.next()
        deadlines.remove(ticket)
        return true
    }

    /// Wakes the wait, from any task.
    package var waker: @Sendable () -> Void { { [wake] in wake.yield() } }

    /// Ends the wait: it listens to no more messages.
    package func end() { listener?.cancel() }
}
