/// A binary heap of keys by the instant at which to look at them.
struct ExpiryQueue<Key> {
    private var heap: [(time: Int64, key: Key)] = []

    var count: Int { heap.count }
    var first: Int64? { heap.first?.time }

    mutating func insert(_ key: Key, at time: Int64) {
        heap.append((time, key))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].time < heap[parent].time else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    mutating func popFirst() -> (time: Int64, key: Key)? {
        guard let last = heap.popLast() else { return nil }
        guard let top = heap.first else { return last }
        heap[0] = last
        sink(0)
        return top
    }

    /// Replaces the whole queue by these entries, in linear time.
    mutating func rebuild(_ entries: [(time: Int64, key: Key)]) {
        heap = entries
        for parent in stride(from: heap.count / 2 - 1, through: 0, by: -1) { sink(parent) }
    }

    private mutating func sink(_ start: Int) {
        var parent = start
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && heap[child].time < heap[least].time {
                least = child
            }
            guard least != parent else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
