import Basics

/// Runs tasks on the pool of Swift's tasks, and counts the parts that it was asked to run.
public final class NotedExecutor: TaskExecutor {
    private let kept = Locked(0)

    /// Has run nothing.
    public init() {}

    /// The number of parts of tasks so far.
    public var count: Int { kept.withLock { $0 } }

    /// Runs a part of a task.
    public func enqueue(_ job: consuming ExecutorJob) {
        kept.withLock { $0 += 1 }
        globalConcurrentExecutor.enqueue(UnownedJob(job))
    }

    /// True if the calling task prefers this executor.
    public var isPreferred: Bool { CurrentExecutor.preference === self }
}
