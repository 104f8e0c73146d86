internal import Basics
public import Logs

/// Why an event thread could not be made, or could not watch a descriptor.
public enum EventThreadError: Error, Sendable, Equatable {
    /// The system refused a descriptor or a thread; `code` is the errno.
    case unavailable(code: Int32)
}

/// One thread that waits with epoll and runs work that must not block: libcurl's sockets, timers, pipelined stores.
///
/// Work reaches it as jobs: `post` accepts one from any thread, and the job runs with the `Loop`. Tasks that prefer
/// `executor` begin and resume on the thread. All signals are blocked on the thread, so `SIGPIPE` of a TLS socket cannot
/// end the process, and other threads handle `SIGTERM`.
public final class EventThread: Sendable {
    private let jobs: LoopJobs
    /// Runs tasks on the thread, as long as it runs.
    public let executor: LoopExecutor

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - name: The name in debuggers and `ps -T`; the system keeps 15 bytes.
    ///   - logger: Gets a warning when one turn of the thread takes more than 50 ms, at most once in 10 seconds.
    /// - Throws: `.unavailable` when the system provides no descriptor or no thread.
    public convenience init(name: String = "events", logger: Logger = .silent) throws(EventThreadError) {
        try self.init(name: name, longestTurn: TurnWatch.limit, logger: logger)
    }

    package init(name: String, longestTurn: Duration, logger: Logger) throws(EventThreadError) {
        do throws(SystemCallError) {
            let watch = TurnWatch(name: name, limit: longestTurn, logger: logger)
            let jobs = LoopJobs(poller: try Poller())
            self.jobs = jobs
            let executor = LoopExecutor(jobs)
            self.executor = executor
            try NativeThread(name, blocksSignals: true) { jobs.run(executor, watch) }.detach()
        } catch {
            throw .unavailable(code: error.code)
        }
    }

    deinit {
        jobs.requestStop()
    }

    /// True on the thread itself.
    public var isCurrent: Bool { jobs.isCurrent }

    /// Runs the job on the thread, after all jobs posted before it.
    ///
    /// - Returns: False when the thread has stopped; the job is dropped and never runs.
    @discardableResult
    public func post(_ job: @escaping @Sendable (Loop) -> Void) -> Bool {
        jobs.post(job)
    }

    /// Runs the jobs posted so far, then the stop handlers, and ends the thread; returns once it has ended.
    ///
    /// Tasks that prefer `executor` go on in Swift's own thread pool.
    /// May be called several times and from several tasks, but not from the thread itself.
    public func stop() async {
        await jobs.stop()
    }
}
