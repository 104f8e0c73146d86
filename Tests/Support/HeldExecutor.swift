internal import Basics

/// Runs the first part of its tasks, and holds every further one back until a test lets them through.
///
/// A task that prefers it stands still at its first wait, and the tasks of a group that it began have not started: the
/// order in which they go on is then forced by the test.
public final class HeldExecutor: TaskExecutor {
    private struct State {
        var hasRun = false
        var isOpen = false
        var held: [UnownedJob] = []
    }

    private let state = Locked(State())

    /// Has run nothing.
    public init() {}

    /// Runs a part of a task, or keeps it.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let runs = state.withLock { state in
            let runs = state.isOpen || !state.hasRun
            state.hasRun = true
            if !runs { state.held.append(job) }
            return runs
        }
        if runs { run(job) }
    }

    /// Runs what was held back, in order, and holds nothing back from now on.
    public func release() {
        let held = state.withLock { state in
            state.isOpen = true
            defer { state.held = [] }
            return state.held
        }
        for job in held { run(job) }
    }

    private func run(_ job: UnownedJob) {
        // On no other executor, which the task would leave for this one at its next call.
        startThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
