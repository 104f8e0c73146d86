#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// One thread that runs jobs in their order, so that file work never blocks a thread of the cooperative pool.
///
/// Sendable invariant: `jobs`, `head` and `stopping` are touched only while `mutex` is held; mutex and condition live as
/// long as this object, which the thread holds until it ends.
final class SerialThread: @unchecked Sendable {
    private var jobs: [@Sendable () -> Void] = []
    private var head = 0
    private var stopping = false
    private let limit: Int
    private let idle: @Sendable () -> Duration
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - limit: Jobs that may wait.
    ///   - idle: Runs on the thread after each job and whenever the time it returned last has passed without one.
    init(limit: Int, idle: @escaping @Sendable () -> Duration) {
        self.limit = limit
        self.idle = idle
        pthread_mutex_init(mutex, nil)
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

    /// Begins to run jobs; false when the system gives no thread.
    func start() -> Bool {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self)
        let outcome = pthread_create(&thread, nil, runSerialThread, context.toOpaque())
        guard outcome == 0 else {
            context.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    /// Queues a job.
    ///
    /// - Returns: False when too many wait or the thread was stopped; then the job never runs.
    func submit(_ job: @escaping @Sendable () -> Void) -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        guard !stopping, jobs.count - head < limit else { return false }
        jobs.append(job)
        pthread_cond_signal(condition)
        return true
    }

    /// Takes no more jobs, runs those that wait and this last one, then ends the thread.
    ///
    /// - Returns: False when it was stopped before; then the job never runs.
    func stop(_ last: @escaping @Sendable () -> Void) -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        guard !stopping else { return false }
        jobs.append(last)
        stopping = true
        pthread_cond_signal(condition)
        return true
    }

    fileprivate func run() {
        var pause = Duration.zero
        while let job = next(within: pause) {
            job?()
            pause = idle()
        }
    }

    /// The next job, `.some(nil)` when none came in time, nil at the end.
    private func next(within pause: Duration) -> (@Sendable () -> Void)?? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        var end = timespec()
        clock_gettime(CLOCK_MONOTONIC, &end)
        let (seconds, attoseconds) = pause.components
        end.tv_sec += Int(clamping: seconds)
        end.tv_nsec += Int(attoseconds / 1_000_000_000)
        if end.tv_nsec >= 1_000_000_000 {
            end.tv_nsec -= 1_000_000_000
            end.tv_sec += 1
        }
        while head == jobs.count {
            if stopping { return nil }
            if pthread_cond_timedwait(condition, mutex, &end) == ETIMEDOUT, head == jobs.count, !stopping {
                return .some(nil)
            }
        }
        let job = jobs[head]
        head += 1
        if head == jobs.count {
            jobs.removeAll(keepingCapacity: head <= 1024)
            head = 0
        } else if head >= 1024 {
            jobs.removeFirst(head)
            head = 0
        }
        return .some(job)
    }
}

private func runSerialThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let context { Unmanaged<SerialThread>.fromOpaque(context).takeRetainedValue().run() }
    return nil
}
