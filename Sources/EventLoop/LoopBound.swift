internal import Synchronization

/// State that belongs to one event thread, carried by values that any thread may hold.
///
/// Sendable invariant: the value is lent only to a caller that holds a `Loop`, which exists on event threads alone and
/// cannot leave them, so all access is on the thread whose jobs use this box. It is handed over once (`sending`), and
/// must release nothing thread-bound when it is destroyed: the last reference may go anywhere.
package final class LoopBound<Value>: @unchecked Sendable {
    private let value: Value
    /// The loop that used it first; 0 before.
    private let owner = Atomic<UInt>(0)

    /// Takes the state over; nothing else refers to it.
    package init(_ value: sending Value) {
        self.value = value
    }

    /// The state, for the job that runs with this loop.
    ///
    /// The first loop that asks is the one it belongs to. Another one is a programming error and traps.
    package func value(on loop: Loop) -> Value {
        let asking = UInt(bitPattern: ObjectIdentifier(loop))
        let (isFirst, first) = owner.compareExchange(expected: 0, desired: asking, ordering: .relaxed)
        precondition(isFirst || first == asking, "state of one event thread was asked for on another")
        return value
    }
}
