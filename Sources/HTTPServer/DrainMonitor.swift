internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// Counts what a stop has to wait for.
///
/// Sendable invariant: the counters are atomic; `mutex` and `condition` are made once and destroyed with the object.
final class DrainMonitor: @unchecked Sendable {
    private let requests = Atomic<Int>(0)
    private let tasks = Atomic<Int>(0)
    private let draining = Atomic<Bool>(false)
    private let halted = Atomic<Bool>(false)
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    init() {
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        condition = .allocate(capacity: 1)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// New requests are refused.
    var isDraining: Bool { draining.load(ordering: .sequentiallyConsistent) }
    /// Connections may not be suspended any more.
    var isHalted: Bool { halted.load(ordering: .sequentiallyConsistent) }
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
        wait(milliseconds) { requests.load(ordering: .sequentiallyConsistent) == 0 && runningTasks == 0 }
    }

    /// Blocks the thread until all handlers have returned, or for `milliseconds`.
    func waitForTasks(milliseconds: UInt64) {
        wait(milliseconds) { runningTasks == 0 }
    }

    private func wait(_ milliseconds: UInt64, until isDone: () -> Bool) {
        var deadline = timespec()
        clock_gettime(CLOCK_MONOTONIC, &deadline)
        let nanoseconds = deadline.tv_nsec + Int(milliseconds % 1000) * 1_000_000
        deadline.tv_sec += Int(milliseconds / 1000) + nanoseconds / 1_000_000_000
        deadline.tv_nsec = nanoseconds % 1_000_000_000
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while !isDone() {
            guard pthread_cond_timedwait(condition, mutex, &deadline) == 0 else { return }
        }
    }

    private func signal() {
        pthread_mutex_lock(mutex)
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
    }
}
