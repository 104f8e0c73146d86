internal import Synchronization

/// A bound that all shards share.
final class Budget: Sendable {
    private let limit: Int
    private let spent = Atomic(0)

    init(limit: Int) {
        self.limit = limit
    }

    var used: Int { spent.load(ordering: .relaxed) }

    /// Reserves an amount and returns true, or reserves nothing if the bound would be passed.
    ///
    /// A negative amount releases and always succeeds.
    func reserve(_ amount: Int) -> Bool {
        guard amount > 0 else {
            if amount < 0 { spent.add(amount, ordering: .relaxed) }
            return true
        }
        let (_, new) = spent.add(amount, ordering: .relaxed)
        guard new > limit else { return true }
        spent.subtract(amount, ordering: .relaxed)
        return false
    }

    func release(_ amount: Int) {
        spent.subtract(amount, ordering: .relaxed)
    }
}
