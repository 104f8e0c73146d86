public import Basics

/// A clock at which nobody waits for less than a second; how long they would have is noted.
public struct NotedWaits: TimeSource {
    /// How long was waited, in order.
    public let waits = Locked<[Duration]>([])
    private let time: any TimeSource

    /// Shows the time of another clock.
    public init(_ time: any TimeSource) {
        self.time = time
    }

    /// The instant that the other clock shows.
    public func now() -> Timestamp { time.now() }

    /// Notes a span; one of a second or more is a deadline, which is waited for.
    public func sleep(for span: Duration) async throws {
        guard span < .seconds(1) else { return try await time.sleep(for: span) }
        waits.withLock { $0.append(span) }
    }
}
