/// Identifies one timer of one loop; never reused.
public struct TimerID: Hashable, Sendable {
    let slot: Int
    let turn: UInt64
}

/// Pending timers by due instant: a binary heap that tracks the position of each timer.
///
/// Most deadlines are cancelled long before they pass. A heap that only supports removing the first entry would keep
/// each of them until then: at 10,000 requests a second with a deadline of 30 s, 300,000 dead entries. Only plain
/// numbers move in the heap; the values stay in slots, which are reused.
struct TimerQueue<Value> {
    private struct Node {
        let due: ContinuousClock.Instant
        let turn: UInt64
        let slot: Int

        /// True if this timer is due earlier, or is due at the same instant and was scheduled first.
        func precedes(_ other: Node) -> Bool {
            due == other.due ? turn < other.turn : due < other.due
        }
    }

    private struct Slot {
        var turn: UInt64
        var position: Int
        var value: Value?
    }

    private var heap: [Node] = []
    private var slots: [Slot] = []
    private var freeSlots: [Int] = []
    private var lastTurn: UInt64 = 0

    init() {}

    /// The number of pending timers.
    var count: Int { heap.count }

    /// The earliest due instant.
    var nextDue: ContinuousClock.Instant? { heap.first?.due }

    /// Adds a timer.
    mutating func insert(due: ContinuousClock.Instant, _ value: Value) -> TimerID {
        lastTurn += 1
        let filled = Slot(turn: lastTurn, position: heap.count, value: value)
        let slot: Int
        if let free = freeSlots.popLast() {
            slot = free
            slots[slot] = filled
        } else {
            slot = slots.count
            slots.append(filled)
        }
        heap.append(Node(due: due, turn: lastTurn, slot: slot))
        siftUp(heap.count - 1)
        return TimerID(slot: slot, turn: lastTurn)
    }

    /// Removes a timer; nil when it fired or was removed before.
    mutating func remove(_ id: TimerID) -> Value? {
        guard slots.indices.contains(id.slot), slots[id.slot].turn == id.turn, slots[id.slot].value != nil else {
            return nil
        }
        return removeNode(at: slots[id.slot].position)
    }

    /// Removes the earliest timer if it is due.
    mutating func popDue(at now: ContinuousClock.Instant) -> Value? {
        guard let first = heap.first, first.due <= now else { return nil }
        return removeNode(at: 0)
    }

    private mutating func removeNode(at position: Int) -> Value? {
        let node = heap[position]
        let last = heap.removeLast()
        if position < heap.count {
            place(last, at: position)
            siftUp(position)
            siftDown(position)
        }
        defer {
            slots[node.slot].value = nil
            freeSlots.append(node.slot)
        }
        return slots[node.slot].value
    }

    private mutating func siftUp(_ start: Int) {
        let node = heap[start]
        var position = start
        while position > 0 {
            let parent = (position - 1) / 2
            guard node.precedes(heap[parent]) else { break }
            place(heap[parent], at: position)
            position = parent
        }
        place(node, at: position)
    }

    private mutating func siftDown(_ start: Int) {
        let node = heap[start]
        var position = start
        while true {
            var child = 2 * position + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].precedes(heap[child]) { child += 1 }
            guard heap[child].precedes(node) else { break }
            place(heap[child], at: position)
            position = child
        }
        place(node, at: position)
    }

    private mutating func place(_ node: Node, at position: Int) {
        heap[position] = node
        slots[node.slot].position = position
    }
}
