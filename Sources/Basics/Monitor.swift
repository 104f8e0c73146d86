#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// State behind a lock, and threads that wait for it to change; for threads of our own, which may block.
///
/// Sendable invariant: `state` is touched only while `mutex` is held; mutex and condition live as long as the object.
package final class Monitor<State: Sendable>: @unchecked Sendable {
    private var state: State
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    /// Puts a value behind a new monitor.
    package init(_ state: State) {
        self.state = state
        pthread_mutex_init(mutex, nil)
        // Waits use the monotonic clock, which cannot be set.
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

    /// Runs the body with the state, then wakes all waiting threads.
    package func change<Result>(_ body: (inout State) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        let result = body(&state)
        pthread_cond_broadcast(condition)
        return result
    }

    /// Blocks the thread until the body has a result; it runs at once, and again after every change of the state.
    ///
    /// - Parameters:
    ///   - limit: Waits no longer than this.
    ///   - body: Returns nil to wait on.
    /// - Returns: The result of the body; nil when the time limit passed first.
    package func wait<Result>(atMost limit: Duration, _ body: (inout State) -> Result?) -> Result? {
        var deadline = Self.deadline(after: limit)
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&state) { return result }
            guard pthread_cond_timedwait(condition, mutex, &deadline) == 0 else { return body(&state) }
        }
    }

    private static func deadline(after limit: Duration) -> timespec {
        var deadline = timespec()
        clock_gettime(CLOCK_MONOTONIC, &deadline)
        let (seconds, attoseconds) = limit.components
        let nanoseconds = deadline.tv_nsec + Int(attoseconds / 1_000_000_000)
        let whole = Int(seconds) + nanoseconds / 1_000_000_000
        let (end, isTooFar) = deadline.tv_sec.addingReportingOverflow(whole)
        deadline.tv_sec = isTooFar ? .max : end
        deadline.tv_nsec = nanoseconds % 1_000_000_000
        return deadline
    }
}
