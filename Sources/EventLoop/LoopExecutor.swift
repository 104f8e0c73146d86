/// Runs tasks on one event thread: each part of a task, from its start or a resume to the next suspension, is one turn's
/// work there.
///
/// A part that is enqueued on the thread itself takes no lock and no system call; one from elsewhere wakes the thread
/// only if it sleeps. After the thread has stopped, tasks go on in Swift's own thread pool, so that none waits for ever.
public final class LoopExecutor: TaskExecutor {
    private let jobs: LoopJobs

    init(_ jobs: LoopJobs) {
        self.jobs = jobs
    }

    /// Runs a part of a task on the thread, after the parts that were enqueued before from the same thread.
    ///
    /// - Parameter job: The part.
    public func enqueue(_ job: consuming ExecutorJob) {
        jobs.enqueue(UnownedJob(job))
    }
}
