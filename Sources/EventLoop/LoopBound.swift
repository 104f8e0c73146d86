internal import Synchronization

/// State that belongs to one event thread, held by values that any thread may hold.
///
/// Sendable invariant: the value is lent only to a caller that holds a `Loop`, which exists only on event threads and
/// cannot leave them, so all access is on the thread whose jobs use this box. The value is handed over once
/// (`sending`), and must release nothing thread-bound when it is destroyed: any thread may drop the last reference.
package final class LoopBound<Value>: @unchecked Sendable {
    private let value: Value
    /// The identity of the first loop that used it; 0 before.
    private let owner = Atomic<UInt>(0)

    /// Takes ownership of the state, which has no other reference.
    package init(_ value: sending Value) {
        self.value = value
    }

    /// The state, for a job that runs with this loop.
    ///
    /// The first loop that asks becomes its owner. Access by another loop is a programming error and traps.
    package func value(on loop: Loop) -> Value {
        // A loop that a task has kept over an `await` may be lent on another thread, after its own has stopped.
        precondition(loop.isCurrent, "a loop was used outside of its thread")
        let asking = UInt(bitPattern: ObjectIdentifier(loop))
        let (isFirst, first) = owner.compareExchange(expected: 0, desired: asking, ordering: .relaxed)
        precondition(isFirst || first == asking, "state of one event thread was asked for on another")
        return value
    }
}
