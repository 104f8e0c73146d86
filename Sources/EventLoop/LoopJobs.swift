internal import Basics

/// The queue of jobs for an event thread, and the thread's state from running to stopped.
final class LoopJobs: Sendable {
    private struct State {
        var jobs: [@Sendable (Loop) -> Void] = []
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
    func run() {
        let loop = Loop(poller: poller)
        while true {
            let (jobs, mustStop) = state.withLock { state in
                defer { state.jobs = [] }
                state.asleep = false
                return (state.jobs, state.stopRequested && state.jobs.isEmpty)
            }
            if mustStop { break }
            for job in jobs { job(loop) }
            loop.turn { self.mayWait() }
        }
        loop.stop()
        finish(loop)
    }

    private func mayWait() -> Bool {
        state.withLock { state in
            state.asleep = state.jobs.isEmpty && !state.stopRequested
            return state.asleep
        }
    }

    /// Refuses further jobs; jobs posted while the stop handlers ran are still run, so that none waits for ever.
    private func finish(_ loop: Loop) {
        while true {
            let (jobs, waiters) = state.withLock { state in
                let jobs = state.jobs
                state.jobs = []
                state.stopped = jobs.isEmpty
                let waiters = jobs.isEmpty ? state.waiters : []
                if jobs.isEmpty { state.waiters = [] }
                return (jobs, waiters)
            }
            guard !jobs.isEmpty else {
                for waiter in waiters { waiter.resume() }
                return
            }
            for job in jobs { job(loop) }
            loop.stop()
        }
    }
}
