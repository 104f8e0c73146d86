internal import Basics

/// Why an event thread could not be made, or could not watch a descriptor.
public enum EventThreadError: Error, Sendable, Equatable {
    /// The system refused a descriptor or a thread; `code` is the errno.
    case unavailable(code: Int32)
}

/// One thread that waits with epoll and runs work that must not block: libcurl's sockets, timers, pipelined stores.
///
/// Work reaches it as jobs: `post` accepts one from any thread, and the job runs with the `Loop`. All signals are
/// blocked on the thread, so `SIGPIPE` of a TLS socket cannot end the process, and other threads handle `SIGTERM`.
public final class EventThread: Sendable {
    private let jobs: LoopJobs

    /// Starts the thread.
    ///
    /// - Parameter name: The name in debuggers and `ps -T`; the system keeps 15 bytes.
    /// - Throws: `.unavailable` when the system provides no descriptor or no thread.
    public init(name: String = "events") throws(EventThreadError) {
        do throws(SystemCallError) {
            let jobs = LoopJobs(poller: try Poller())
            self.jobs = jobs
            try NativeThread(name, blocksSignals: true) { jobs.run() }.detach()
        } catch {
            throw .unavailable(code: error.code)
        }
    }

    deinit {
        jobs.requestStop()
    }

    /// Runs the job on the thread, after all jobs posted before it.
    ///
    /// - Returns: False when the thread has stopped; the job is dropped and never runs.
    @discardableResult
    public func post(_ job: @escaping @Sendable (Loop) -> Void) -> Bool {
        jobs.post(job)
    }

    /// Runs the jobs posted so far, then the stop handlers, and ends the thread; returns once it has ended.
    ///
    /// May be called several times and from several tasks, but not from the thread itself.
    public func stop() async {
        await jobs.stop()
    }
}
