internal import Basics

/// Bounds the calls in flight; a call beyond the limit is refused instead of queued.
final class CallSlots: Sendable {
    private let taken = Locked(0)

    /// Takes a slot.
    ///
    /// - Parameter limit: The number of slots.
    /// - Returns: False when every slot is taken.
    func take(of limit: Int) -> Bool {
        taken.withLock { taken in
            guard taken < limit else { return false }
            taken += 1
            return true
        }
    }

    /// Gives the slot back.
    func giveBack() {
        taken.withLock { $0 -= 1 }
    }
}
