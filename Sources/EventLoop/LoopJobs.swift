internal import Basics

/// The queue of jobs and tasks for an event thread, and the thread's state from running to stopped.
final class LoopJobs: Sendable {
    private struct State {
        var jobs: [@Sendable (Loop) -> Void] = []
        /// Parts of tasks that were enqueued on other threads.
        var tasks: [UnownedJob] = []
        /// True if the thread is in, or about to enter, a wait that only the wake-up ends.
        var asleep = false
        var stopRequested = false
        var stopped = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())
    private let poller: Poller

    init(poller: Poller) {
        self.poller = poller
    }

    /// True on the thread that runs these jobs.
    var isCurrent: Bool { Loop.current?.jobs === self }

    func post(_ job: @escaping @Sendable (Loop) -> Void) -> Bool {
        let (accepted, mustWake) = state.withLock { state in
            guard !state.stopped else { return (false, false) }
            state.jobs.append(job)
            defer { state.asleep = false }
            return (true, state.asleep)
        }
        if mustWake { poller.wake() }
        return accepted
    }

    /// Runs a part of a task on the thread, or in Swift's thread pool once the thread has stopped.
    func enqueue(_ task: UnownedJob) {
        if let loop = Loop.current, loop.jobs === self { return loop.enqueue(task) }
        let (accepted, mustWake) = state.withLock { state in
            guard !state.stopped else { return (false, false) }
            state.tasks.append(task)
            defer { state.asleep = false }
            return (true, state.asleep)
        }
        if mustWake { poller.wake() }
        if !accepted { globalConcurrentExecutor.enqueue(task) }
    }

    func requestStop() {
        let mustWake = state.withLock { state in
            state.stopRequested = true
            defer { state.asleep = false }
            return state.asleep
        }
        if mustWake { poller.wake() }
    }

    func stop() async {
        await withCheckedContinuation { continuation in
            let stopped = state.withLock { state in
                if !state.stopped { state.waiters.append(continuation) }
                return state.stopped
            }
            if stopped { continuation.resume() } else { requestStop() }
        }
    }

    /// The body of the thread.
    func run(_ executor: LoopExecutor, _ watch: TurnWatch) {
        let loop = Loop(poller: poller, jobs: self, executor: executor, watch: watch)
        var waiters: [CheckedContinuation<Void, Never>] = []
        loop.withCurrent {
            while true {
                guard runPosted(loop) else { break }
                loop.turn { self.mayWait() }
            }
            loop.stop()
            waiters = finish(loop)
        }
        // Not before: a task of this executor that waits for the stop goes on elsewhere.
        for waiter in waiters { waiter.resume() }
    }

    /// Runs the posted jobs and takes in the tasks; a function of its own, so that no job outlives it while the thread
    /// waits: a job may hold the last reference to the event thread.
    ///
    /// - Returns: False when the thread is to stop.
    private func runPosted(_ loop: Loop) -> Bool {
        let (jobs, tasks, mustStop) = take()
        for task in tasks { loop.enqueue(task) }
        loop.run(jobs)
        return !mustStop
    }

    private func take() -> ([@Sendable (Loop) -> Void], [UnownedJob], mustStop: Bool) {
        state.withLock { state in
            defer {
                state.jobs = []
                state.tasks = []
            }
            state.asleep = false
            return (state.jobs, state.tasks, state.stopRequested && state.jobs.isEmpty)
        }
    }

    private func mayWait() -> Bool {
        state.withLock { state in
            state.asleep = state.jobs.isEmpty && state.tasks.isEmpty && !state.stopRequested
            return state.asleep
        }
    }

    /// Refuses further jobs; jobs posted while the stop handlers ran are still run, so that none waits for ever.
    ///
    /// Tasks that are ready leave for Swift's thread pool: one that always has more to do would keep the thread.
    ///
    /// - Returns: The callers of `stop`, to be resumed.
    private func finish(_ loop: Loop) -> [CheckedContinuation<Void, Never>] {
        while true {
            let (jobs, tasks, waiters) = state.withLock { state in
                let (jobs, tasks) = (state.jobs, state.tasks)
                state.jobs = []
                state.tasks = []
                state.stopped = jobs.isEmpty
                let waiters = jobs.isEmpty ? state.waiters : []
                if jobs.isEmpty { state.waiters = [] }
                return (jobs, tasks, waiters)
            }
            for task in tasks { loop.enqueue(task) }
            guard !jobs.isEmpty else {
                for task in loop.takeTasks() { globalConcurrentExecutor.enqueue(task) }
                return waiters
            }
            for job in jobs { job(loop) }
            loop.stop()
        }
    }
}
