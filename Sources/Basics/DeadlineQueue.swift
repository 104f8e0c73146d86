/// Calls back at instants, with one sleeping task for all of them.
///
/// A task and a timer for each wait would cost more than most of the work that is waited for: nearly every deadline is
/// taken back long before it passes. Here that is an entry in a table.
package final class DeadlineQueue: Sendable {
    /// Names a deadline, to take it back.
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

    /// No deadlines at first.
    ///
    /// - Parameter time: Waits for them.
    package init(_ time: any TimeSource) {
        self.time = time
    }

    deinit {
        state.withLock { $0.sleeper?.task.cancel() }
    }

    /// Calls the action once at an instant, or soon when that has passed, unless it is taken back before.
    ///
    /// - Parameters:
    ///   - deadline: When.
    ///   - action: Runs on some task's thread; short, and free to use this queue.
    /// - Returns: What takes it back.
    package func add(at deadline: ContinuousClock.Instant, _ action: @escaping @Sendable () -> Void) -> Ticket {
        state.withLock { state in
            state.last += 1
            state.entries[state.last] = Entry(deadline: deadline, action: action)
            let ticket = Ticket(number: state.last)
            if state.sleeper.map({ deadline < $0.until }) ?? true { sleep(until: deadline, &state) }
            return ticket
        }
    }

    /// Takes a deadline back; nothing happens when its time has come already.
    package func remove(_ ticket: Ticket) {
        state.withLock { $0.entries[ticket.number] = nil }
    }

    /// The deadlines that have not come and were not taken back.
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

    /// Runs what is due and sleeps until the next one; taken-back deadlines were left to this moment.
    private func wake(_ number: UInt64) {
        let due = state.withLock { state -> [Entry] in
            // Another sleeper took over meanwhile: it looks at everything.
            guard state.sleeper?.number == number else { return [] }
            state.sleeper = nil
            let now = ContinuousClock.now
            let due = state.entries.filter { $0.value.deadline <= now }
            for number in due.keys { state.entries[number] = nil }
            if let next = state.entries.values.map(\.deadline).min() { sleep(until: next, &state) }
            // Those that are late together: in the order of time all the same.
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }.map(\.value)
        }
        for entry in due { entry.action() }
    }
}
