#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// State behind a lock, for short synchronous work; no waiting and no I/O inside.
///
/// A pthread mutex, because ThreadSanitizer understands it where `Synchronization.Mutex` gives false reports.
///
/// Sendable invariant: `state` is touched only while `mutex` is held.
public final class Locked<State>: @unchecked Sendable {
    // Behind a pointer, because the lock makes the run-time check of exclusive access superfluous.
    @usableFromInline let state: UnsafeMutablePointer<State>
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    /// Puts a value behind a new lock.
    public init(_ state: sending State) {
        self.state = .allocate(capacity: 1)
        self.state.initialize(to: state)
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
        state.deinitialize(count: 1)
        state.deallocate()
    }

    @usableFromInline func lock() { pthread_mutex_lock(mutex) }
    @usableFromInline func unlock() { pthread_mutex_unlock(mutex) }

    /// Runs the body with the state while the lock is held.
    ///
    /// Not re-entrant: taking the same lock inside the body never returns.
    @inlinable @inline(__always)
    public func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        lock()
        defer { unlock() }
        return try body(&state.pointee)
    }
}
