package import Basics
import StorageKit

/// The instants, by this process's clock, at which it first saw cookie rotations that are not confirmed.
///
/// The time in a ticket comes from the clock of the process that replaced the ticket. If that clock is far behind, the
/// rotation would be reverted before the browser could have sent the new cookie.
package final class SeenRotations: Sendable {
    /// The largest difference between the clocks of processes; with a larger one, rotations are reverted too early.
    package static let clockTolerance: Duration = .seconds(30)

    private let first = Locked(RecentlyKnown<String, Timestamp>(limit: 4096))

    /// Has seen no rotation.
    package init() {}

    /// Notes a rotation, when it is made here or when a request first arrives with the cookie that it replaced.
    ///
    /// - Returns: The instant at which this process first noted the rotation.
    @discardableResult
    package func note(_ id: String, at now: Timestamp) -> Timestamp {
        first.withLock { first in
            if let known = first[id] { return known }
            first[id] = now
            return now
        }
    }
}
