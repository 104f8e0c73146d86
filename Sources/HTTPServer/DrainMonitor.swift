internal import Basics
internal import Synchronization

/// Counts the requests and handlers that a stop waits for.
final class DrainMonitor: Sendable {
    private let requests = Atomic<Int>(0)
    private let tasks = Atomic<Int>(0)
    private let draining = Atomic<Bool>(false)
    private let halted = Atomic<Bool>(false)
    /// Wakes the thread that waits for the counters.
    ///
    /// Its state counts the signals: a state without a size has the address of its object, which ThreadSanitizer takes
    /// for a race.
    private let counted = Monitor(0)

    /// True if new requests are refused.
    var isDraining: Bool { draining.load(ordering: .sequentiallyConsistent) }
    /// True if connections may not be suspended any more.
    var isHalted: Bool { halted.load(ordering: .sequentiallyConsistent) }
    /// The number of requests that are not over.
    var requestsUnderWay: Int { requests.load(ordering: .sequentiallyConsistent) }
    /// The number of handlers that have not returned.
    var runningTasks: Int { tasks.load(ordering: .sequentiallyConsistent) }

    /// Counts a request in.
    func enter() {
        requests.add(1, ordering: .sequentiallyConsistent)
    }

    /// Counts a request out, when its exchange is over.
    func leave() {
        requests.subtract(1, ordering: .sequentiallyConsistent)
        if isDraining { signal() }
    }

    /// Counts a handler in.
    func taskBegan() {
        tasks.add(1, ordering: .sequentiallyConsistent)
    }

    /// Counts a handler out, when its task has returned.
    func taskEnded() {
        tasks.subtract(1, ordering: .sequentiallyConsistent)
        if isDraining { signal() }
    }

    /// Makes the listener refuse new requests from now on.
    func beginDraining() {
        draining.store(true, ordering: .sequentiallyConsistent)
    }

    /// Forbids suspending connections from now on.
    func halt() {
        halted.store(true, ordering: .sequentiallyConsistent)
    }

    /// Blocks the thread until all requests and handlers are over, or for `milliseconds`.
    func waitUntilIdle(milliseconds: UInt64) {
        wait(milliseconds) { requestsUnderWay == 0 && runningTasks == 0 }
    }

    /// Blocks the thread until all handlers have returned, or for `milliseconds`.
    func waitForTasks(milliseconds: UInt64) {
        wait(milliseconds) { runningTasks == 0 }
    }

    /// Wakes a stop that waits for connections; called when a connection is closed and counted out.
    func connectionEnded() {
        if isDraining { signal() }
    }

    /// Blocks the thread until every connection is counted out, or for `milliseconds`.
    func waitForConnections(_ counter: ConnectionCounter, milliseconds: UInt64) {
        wait(milliseconds) { counter.isEmpty }
    }

    private func wait(_ milliseconds: UInt64, until isDone: () -> Bool) {
        _ = counted.wait(atMost: .milliseconds(milliseconds)) { _ in isDone() ? true : nil }
    }

    private func signal() {
        counted.change { $0 &+= 1 }
    }
}
