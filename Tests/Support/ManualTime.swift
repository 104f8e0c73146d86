public import Basics

/// A clock that stands still until a test moves it.
public final class ManualTime: TimeSource {
    private let instant: Locked<Timestamp>

    /// A clock that shows this instant; 2026-01-01T00:00:00Z unless given.
    public init(_ start: Timestamp = Timestamp(seconds: 1_767_225_600)) {
        instant = Locked(start)
    }

    /// The instant the clock shows.
    public func now() -> Timestamp {
        instant.withLock { $0 }
    }

    /// Moves the clock forward, or back with a negative span.
    public func advance(by span: Duration) {
        instant.withLock { $0 = $0 + span }
    }

    /// Puts the clock to an instant.
    public func set(_ now: Timestamp) {
        instant.withLock { $0 = now }
    }
}
