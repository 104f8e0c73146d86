internal import Basics
internal import Synchronization

/// Counts what a stop has to wait for.
final class DrainMonitor: Sendable {
    private let requests = Atomic<Int>(0)
    private let tasks = Atomic<Int>(0)
    private let draining = Atomic<Bool>(false)
    private let halted = Atomic<Bool>(false)
    /// Wakes whoever waits for the counters.
    ///
    /// It counts how often: a state without a size has the address of its object, which ThreadSanitizer takes for a race.
    private let counted = Monitor(0)

    /// New requests are refused.
    var isDraining: Bool { draining.load(ordering: .sequentiallyConsistent) }
    /// Connections may not be suspended any more.
    var isHalted: Bool { halted.load(ordering: .sequentiallyConsistent) }
    /// Requests that are not over.
    var requestsUnderWay: Int { requests.load(ordering: .sequentiallyConsistent) }
    /// Handlers that have not returned.
    var runningTasks: Int { tasks.load(ordering: .sequentiallyConsistent) }

    /// A request has come.
    func enter() {
        requests.add(1, ordering: .sequentiallyConsistent)
    }

    /// A request is over.
    func leave() {
        requests.subtract(1, ordering: .sequentiallyConsistent)
        if isDraining { signal() }
    }

    /// A handler starts.
    func taskBegan() {
        tasks.add(1, ordering: .sequentiallyConsistent)
    }

    /// A handler has returned.
    func taskEnded() {
        tasks.subtract(1, ordering: .sequentiallyConsistent)
        if isDraining { signal() }
    }

    /// From now on new requests are refused.
    func beginDraining() {
        draining.store(true, ordering: .sequentiallyConsistent)
    }

    /// From now on nothing is suspended.
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

    /// A connection is closed and counted out.
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
