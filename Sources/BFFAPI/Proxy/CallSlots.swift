internal import Basics

/// Counts calls under way against a bound; whoever finds it reached is refused instead of queued.
final class CallSlots: Sendable {
    private let taken = Locked(0)

    /// Takes a place.
    ///
    /// - Parameter limit: The bound.
    /// - Returns: False when there is none.
    func take(of limit: Int) -> Bool {
        taken.withLock { taken in
            guard taken < limit else { return false }
            taken += 1
            return true
        }
    }

    /// Gives the place back.
    func giveBack() {
        taken.withLock { $0 -= 1 }
    }
}
