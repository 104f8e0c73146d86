public import Synchronization

/// The least level that loggers write, shared by all copies of them and changed while a program runs.
///
/// A logger whose own `logLevel` was set goes by that one alone.
public final class LogThreshold: Sendable {
    @usableFromInline let rank: Atomic<UInt8>

    /// A threshold that begins at a level.
    public init(_ level: Logger.Level) {
        rank = Atomic(level.rank)
    }

    /// The least level that is written; a change holds for the next line of every logger that shares it.
    public var level: Logger.Level {
        @inlinable get { Logger.Level(rank: rank.load(ordering: .relaxed)) }
        set { rank.store(newValue.rank, ordering: .relaxed) }
    }
}
