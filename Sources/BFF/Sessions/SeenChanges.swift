import Basics
import StorageKit

/// When this process first heard of changes of cookie that nobody had made final, by its own clock.
///
/// The time in a ticket is of the clock of whoever replaced it, and that may be far behind: the change would be taken back
/// before the browser can have come with the new cookie.
final class SeenChanges: Sendable {
    /// Clocks that are further apart than this take changes back too early.
    static let clockTolerance: Duration = .seconds(30)

    private let first = Locked(RecentlyKnown<String, Timestamp>(limit: 4096))

    /// When a change was made here, or when a request first came with the cookie that it had replaced.
    @discardableResult
    func note(_ id: String, at now: Timestamp) -> Timestamp {
        first.withLock { first in
            if let known = first[id] { return known }
            first[id] = now
            return now
        }
    }
}
