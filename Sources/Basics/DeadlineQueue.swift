/// Calls back at instants, with one sleeping task for all of them.
///
/// A task and a timer for each wait would cost more than most of the work that is waited for: nearly every deadline is
/// cancelled long before it passes. Here a deadline is an entry in a table.
package final class DeadlineQueue: Sendable {
    /// Identifies a deadline, for `remove`.
    package struct Ticket: Sendable, Hashable {
        fileprivate let number: UInt64
    }

    private struct Entry {
        let deadline: ContinuousClock.Instant
        let action: @Sendable () -> Void
    }

    private struct Sleeper {
        let number: UInt64
        let until: ContinuousClock.Instant
        /// True while it has woken and runs actions: no other one begins then, whose actions would overtake them.
        var isAwake = false
        let task: Task<Void, Never>
    }

    private struct State {
        var entries: [UInt64: Entry] = [:]
        /// The instants of the entries, and of some that were removed.
        var due = DueInstants()
        var sleeper: Sleeper?
        var last: UInt64 = 0
    }

    private let state = Locked(State())
    private let time: any TimeSource

    /// Makes a queue without deadlines.
    ///
    /// - Parameter time: The clock that waits for the deadlines.
    package init(_ time: any TimeSource) {
        self.time = time
    }

    deinit {
        state.withLock { $0.sleeper?.task.cancel() }
    }

    /// Calls the action once at an instant, or soon if that has passed, unless it is removed before.
    ///
    /// - Parameters:
    ///   - deadline: When.
    ///   - action: Runs on some task's thread; short, and free to use this queue.
    /// - Returns: The ticket that removes the deadline.
    package func add(at deadline: ContinuousClock.Instant, _ action: @escaping @Sendable () -> Void) -> Ticket {
        state.withLock { state in
            state.last += 1
            state.entries[state.last] = Entry(deadline: deadline, action: action)
            state.due.insert(DueInstants.Item(deadline: deadline, number: state.last))
            let ticket = Ticket(number: state.last)
            if state.sleeper.map({ !$0.isAwake && deadline < $0.until }) ?? true { sleep(until: deadline, &state) }
            return ticket
        }
    }

    /// Removes a deadline; does nothing if it has already passed.
    package func remove(_ ticket: Ticket) {
        state.withLock { state in
            state.entries[ticket.number] = nil
            // An instant stays until it would pass; so that these are no more than the others, they go together.
            guard state.due.count > 2 * state.entries.count + 32 else { return }
            state.due = DueInstants(state.entries.map { .init(deadline: $0.value.deadline, number: $0.key) })
        }
    }

    /// The number of deadlines that have neither passed nor been removed.
    package var count: Int { state.withLock { $0.entries.count } }

    /// The number of instants that are kept, of removed deadlines too.
    var instantCount: Int { state.withLock { $0.due.count } }

    private func sleep(until deadline: ContinuousClock.Instant, _ state: inout State) {
        state.sleeper?.task.cancel()
        state.last += 1
        let number = state.last
        let task = Task.detached { [weak self, time] in
            do { try await time.sleep(for: deadline - .now) } catch { return }
            self?.wake(number)
        }
        state.sleeper = Sleeper(number: number, until: deadline, task: task)
    }

    /// Runs due actions and sleeps until the next deadline; the cost grows with the number of the due ones.
    private func wake(_ number: UInt64) {
        while true {
            let due = takeDue(number)
            if due.isEmpty { return }
            for entry in due { entry.action() }
        }
    }

    /// Takes the entries that are due; without any, sleeps until the next deadline.
    private func takeDue(_ number: UInt64) -> [Entry] {
        state.withLock { state in
            // Another sleeper took over meanwhile and handles all entries.
            guard state.sleeper?.number == number else { return [] }
            let now = ContinuousClock.now
            var due: [Entry] = []
            while let next = state.due.first {
                guard let entry = state.entries[next.number] else {
                    state.due.removeFirst()
                    continue
                }
                guard next.deadline <= now else { break }
                // Several late deadlines still run in order of time.
                due.append(entry)
                state.due.removeFirst()
                state.entries[next.number] = nil
            }
            state.sleeper?.isAwake = true
            guard due.isEmpty else { return due }
            state.sleeper = nil
            if let next = state.due.first { sleep(until: next.deadline, &state) }
            return []
        }
    }
}

/// Instants with the numbers of their deadlines, the earliest first: a binary heap.
private struct DueInstants {
    struct Item {
        let deadline: ContinuousClock.Instant
        let number: UInt64

        /// True if this instant is earlier, or is the same and was added first.
        func precedes(_ other: Item) -> Bool { (deadline, number) < (other.deadline, other.number) }
    }

    private var items: [Item] = []

    init() {}

    /// The instants in any order; a sorted array is a heap.
    init(_ items: [Item]) { self.items = items.sorted { $0.precedes($1) } }

    var count: Int { items.count }
    var first: Item? { items.first }

    mutating func insert(_ item: Item) {
        var place = items.count
        items.append(item)
        while place > 0, item.precedes(items[(place - 1) / 2]) {
            items[place] = items[(place - 1) / 2]
            place = (place - 1) / 2
        }
        items[place] = item
    }

    mutating func removeFirst() {
        let item = items.removeLast()
        guard !items.isEmpty else { return }
        var place = 0
        while 2 * place + 1 < items.count {
            var child = 2 * place + 1
            if child + 1 < items.count, items[child + 1].precedes(items[child]) { child += 1 }
            guard items[child].precedes(item) else { break }
            items[place] = items[child]
            place = child
        }
        items[place] = item
    }
}
