import Basics

/// Counts what devices prove, since the start of this process.
package final class DeviceCounts: Sendable {
    /// The counts at one time.
    package struct Values: Sendable, Equatable {
        /// Sessions that were bound to a device.
        package var bound = 0
        /// Device cookies that a proof has renewed.
        package var renewed = 0
        /// Registrations and proofs that were refused for good.
        package var refused = 0

        /// Makes counts; none is counted unless said.
        package init(bound: Int = 0, renewed: Int = 0, refused: Int = 0) {
            (self.bound, self.renewed, self.refused) = (bound, renewed, refused)
        }
    }

    private let state = Locked(Values())

    /// The counts so far.
    package var values: Values { state.withLock { $0 } }

    func count(_ event: (inout Values) -> Void) { state.withLock { event(&$0) } }
}
