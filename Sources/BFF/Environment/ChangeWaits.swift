import Basics
import StorageKit

/// Waits for changes by other processes: by the change messages of the store, or by polling where it has none.
struct ChangeWaits: Sendable {
    private let messages: (any ChangeMessages)?
    private let interval: Duration
    private let safetyInterval: Duration
    private let deadlines: DeadlineQueue

    /// Makes waits by these messages, with the intervals of the settings.
    init(_ messages: (any ChangeMessages)?, _ settings: BFFSettings, _ time: any TimeSource) {
        deadlines = DeadlineQueue(time)
        self.messages = messages
        interval = settings.waitInterval
        safetyInterval = settings.waitSafetyInterval
    }

    /// Looks for a value that another process brings about, until it is there.
    ///
    /// It subscribes before it looks, so that no change falls in between, and looks again at each message. In addition
    /// it looks every `waitSafetyInterval`, because an expiry by the clock sends no message, and a store may lose
    /// messages. While the store sends no messages it looks every `waitInterval`.
    ///
    /// - Parameters:
    ///   - subject: The part of the store that changes when the value is there.
    ///   - deadline: Looks for the last time at this instant.
    ///   - look: Returns nil while the value is not there.
    /// - Returns: nil when the deadline came first.
    /// - Throws: The errors of `look`; `.cancelled` when the task was cancelled while it waited.
    func value<Value: Sendable>(
        of subject: StoreSubject, until deadline: ContinuousClock.Instant,
        _ look: () async throws(BFFError) -> Value?
    ) async throws(BFFError) -> Value? {
        let (wakes, wake) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        var wakeUps = wakes.makeAsyncIterator()
        let pace = Locked(interval)
        let listener = await listen(to: subject, pace, wake)
        defer { listener?.cancel() }
        while true {
            if let value = try await look() { return value }
            let now = ContinuousClock.now
            guard now < deadline else { return nil }
            let ticket = deadlines.add(at: min(deadline, now + pace.withLock { $0 })) { wake.yield() }
            await wakeUps.next()
            deadlines.remove(ticket)
            if Task.isCancelled { throw .cancelled }
        }
    }

    /// Wakes the wait at each message until it is cancelled; nil when the store has no messages or the subscription
    /// fails.
    private func listen(
        to subject: StoreSubject, _ pace: Locked<Duration>, _ wake: AsyncStream<Void>.Continuation
    ) async -> Task<Void, Never>? {
        guard let messages, let changes = try? await messages.changes(of: subject) else { return nil }
        pace.withLock { $0 = safetyInterval }
        return Task { [interval] in
            for await _ in changes { wake.yield() }
            // The store sends no more messages.
            pace.withLock { $0 = interval }
            wake.yield()
        }
    }
}
