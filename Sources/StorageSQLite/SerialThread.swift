internal import Basics

/// One thread that runs jobs in order, so that file work never blocks a thread of the cooperative pool.
final class SerialThread: Sendable {
    private struct Queue: Sendable {
        var jobs: [@Sendable () -> Void] = []
        var head = 0
        var isStopping = false

        var waiting: Int { jobs.count - head }

        mutating func take() -> (@Sendable () -> Void)? {
            guard waiting > 0 else { return nil }
            let job = jobs[head]
            head += 1
            if head == jobs.count {
                jobs.removeAll(keepingCapacity: head <= 1024)
                head = 0
            } else if head >= 1024 {
                jobs.removeFirst(head)
                head = 0
            }
            return job
        }
    }

    /// The next work of the thread.
    private enum Turn {
        case run(@Sendable () -> Void)
        case end
    }

    private let queue = Monitor(Queue())
    private let limit: Int
    private let idle: @Sendable () -> Duration

    /// Makes a thread that begins with `start`.
    ///
    /// - Parameters:
    ///   - limit: The number of jobs that may wait.
    ///   - idle: Runs on the thread after each job, and whenever the time that it last returned has passed without a
    ///     job.
    init(limit: Int, idle: @escaping @Sendable () -> Duration) {
        self.limit = limit
        self.idle = idle
    }

    /// Begins to run jobs; returns false if the system cannot start a thread.
    func start() -> Bool {
        guard let thread = try? NativeThread("sqlite", { self.run() }) else { return false }
        thread.detach()
        return true
    }

    /// Queues a job.
    ///
    /// - Returns: False if too many jobs wait or the thread was stopped; the job then never runs.
    func submit(_ job: @escaping @Sendable () -> Void) -> Bool {
        queue.change { queue in
            guard !queue.isStopping, queue.waiting < limit else { return false }
            queue.jobs.append(job)
            return true
        }
    }

    /// Accepts no more jobs, runs the waiting ones and this last job, then ends the thread.
    ///
    /// - Returns: False if the thread was already stopped; the job then never runs.
    func stop(_ last: @escaping @Sendable () -> Void) -> Bool {
        queue.change { queue in
            guard !queue.isStopping else { return false }
            queue.jobs.append(last)
            queue.isStopping = true
            return true
        }
    }

    private func run() {
        var pause = Duration.zero
        while true {
            switch next(within: pause) {
            case .run(let job): job()
            case .end: return
            case nil: break
            }
            pause = idle()
        }
    }

    /// The next job, or the end of the thread; nil if neither came in time.
    private func next(within pause: Duration) -> Turn? {
        queue.wait(atMost: pause) { queue in
            if let job = queue.take() { return .run(job) }
            return queue.isStopping ? .end : nil
        }
    }
}
