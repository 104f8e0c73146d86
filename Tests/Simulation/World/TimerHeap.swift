/// What is to happen at instants of the world, earliest first; what was added first, of the same instant.
struct TimerHeap {
    /// Something that is to happen.
    struct Entry {
        let due: Duration
        fileprivate let number: UInt64
        let action: () -> Void
    }

    private var entries: [Entry] = []
    private var added: UInt64 = 0

    /// When the next one is due.
    var next: Duration? { entries.first?.due }

    mutating func add(_ due: Duration, _ action: @escaping () -> Void) {
        added += 1
        entries.append(Entry(due: due, number: added, action: action))
        var place = entries.count - 1
        while place > 0, isBefore(place, (place - 1) / 2) {
            entries.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    mutating func removeFirst() -> Entry? {
        guard let first = entries.first, let last = entries.popLast() else { return nil }
        guard !entries.isEmpty else { return first }
        entries[0] = last
        var place = 0
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < entries.count && isBefore(child, least) {
                least = child
            }
            guard least != place else { return first }
            entries.swapAt(place, least)
            place = least
        }
    }

    private func isBefore(_ left: Int, _ right: Int) -> Bool {
        (entries[left].due, entries[left].number) < (entries[right].due, entries[right].number)
    }
}
