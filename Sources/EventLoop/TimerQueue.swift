/// Names one timer of one loop; never used twice.
public struct TimerID: Hashable, Sendable {
    let value: UInt64
}

/// Pending timers by due instant: a binary heap that knows where each timer sits.
///
/// Most deadlines are cancelled long before they pass. A heap that could only pop would keep each of them until then,
/// so 10,000 requests a second with a deadline of 30 s would be 300,000 dead entries.
struct TimerQueue<Value> {
    private struct Entry {
        let due: ContinuousClock.Instant
        let id: TimerID
        let value: Value

        /// Earlier first; of two equal ones, the one that was scheduled first.
        func precedes(_ other: Entry) -> Bool {
            due == other.due ? id.value < other.id.value : due < other.due
        }
    }

    private var heap: [Entry] = []
    private var positions: [TimerID: Int] = [:]
    private var lastID: UInt64 = 0

    init() {}

    /// The number of pending timers.
    var count: Int { heap.count }

    /// The earliest due instant.
    var nextDue: ContinuousClock.Instant? { heap.first?.due }

    /// Adds a timer.
    mutating func insert(due: ContinuousClock.Instant, _ value: Value) -> TimerID {
        lastID += 1
        let id = TimerID(value: lastID)
        heap.append(Entry(due: due, id: id, value: value))
        positions[id] = heap.count - 1
        siftUp(heap.count - 1)
        return id
    }

    /// Takes a timer out; nil when it fired or was removed before.
    mutating func remove(_ id: TimerID) -> Value? {
        guard let position = positions[id] else { return nil }
        return removeEntry(at: position)
    }

    /// Takes the earliest timer out when it is due.
    mutating func popDue(at now: ContinuousClock.Instant) -> Value? {
        guard let first = heap.first, first.due <= now else { return nil }
        return removeEntry(at: 0)
    }

    private mutating func removeEntry(at position: Int) -> Value {
        let last = heap.count - 1
        if position != last { swapEntries(position, last) }
        let entry = heap.removeLast()
        positions[entry.id] = nil
        if position < heap.count {
            siftUp(position)
            siftDown(position)
        }
        return entry.value
    }

    private mutating func siftUp(_ start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].precedes(heap[parent]) else { return }
            swapEntries(child, parent)
            child = parent
        }
    }

    private mutating func siftDown(_ start: Int) {
        var parent = start
        while true {
            var first = parent
            let left = 2 * parent + 1
            if left < heap.count, heap[left].precedes(heap[first]) { first = left }
            if left + 1 < heap.count, heap[left + 1].precedes(heap[first]) { first = left + 1 }
            guard first != parent else { return }
            swapEntries(parent, first)
            parent = first
        }
    }

    private mutating func swapEntries(_ left: Int, _ right: Int) {
        heap.swapAt(left, right)
        positions[heap[left].id] = left
        positions[heap[right].id] = right
    }
}
