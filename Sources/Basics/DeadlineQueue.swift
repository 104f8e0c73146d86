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
        let task: Task<Void, Never>
    }

    private struct State {
        var entries: [UInt64: Entry] = [:]
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
            let ticket = Ticket(number: state.last)
            if state.sleeper.map({ deadline < $0.until }) ?? true { sleep(until: deadline, &state) }
            return ticket
        }
    }

    /// Removes a deadline; does nothing if it has already passed.
    package func remove(_ ticket: Ticket) {
        state.withLock { $0.entries[ticket.number] = nil }
    }

    /// The number of deadlines that have neither passed nor been removed.
    package var count: Int { state.withLock { $0.entries.count } }

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

    /// Runs due actions and sleeps until the next deadline; removed deadlines are skipped here.
    private func wake(_ number: UInt64) {
        let due = state.withLock { state -> [Entry] in
            // Another sleeper took over meanwhile and handles all entries.
            guard state.sleeper?.number == number else { return [] }
            state.sleeper = nil
            let now = ContinuousClock.now
            let due = state.entries.filter { $0.value.deadline <= now }
            for number in due.keys { state.entries[number] = nil }
            if let next = state.entries.values.map(\.deadline).min() { sleep(until: next, &state) }
            // Several late deadlines still run in order of time.
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }.map(\.value)
        }
        for entry in due { entry.action() }
    }
}
