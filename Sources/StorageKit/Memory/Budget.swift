internal import Synchronization

/// A bound that all shards share.
final class Budget: Sendable {
    private let limit: Int
    private let spent = Atomic(0)

    init(limit: Int) {
        self.limit = limit
    }

    var used: Int { spent.load(ordering: .relaxed) }

    /// Takes an amount, or nothing when the bound would be passed; giving back (a negative amount) always works.
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
