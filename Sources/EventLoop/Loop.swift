internal import Basics
internal import CShims

/// The event loop of one `EventThread`: its watches, timers and stop handlers.
///
/// Not Sendable: only jobs, handlers and timers of the thread receive it, so the compiler keeps it there. Code called
/// from here must not block, because it would block everything on the thread.
///
/// A turn runs the posted jobs, parts of tasks, due timers and turn steps, then waits for events and delivers them. The
/// number of parts of tasks is bounded, so that tasks that always have more to do cannot keep events waiting.
public final class Loop {
    private struct Watch {
        var interest: DescriptorReadiness
        let generation: UInt32
        let handler: (Loop, DescriptorReadiness) -> Void
    }

    private let poller: Poller
    private var watches: [Int32: Watch] = [:]
    private var generation: UInt32 = 0
    private var timers = TimerQueue<(Loop) -> Void>()
    private var stopHandlers: [(id: StopHandlerID, run: (Loop) -> Void)] = []
    private var lastStopHandler: UInt64 = 0
    private var steps: [(id: TurnStepID, run: (Loop) -> Bool)] = []
    private var lastStep: UInt64 = 0
    /// Parts of tasks that are ready, in order from `nextTask` on.
    private var tasks: [UnownedJob] = []
    private var nextTask = 0
    private var watch: TurnWatch
    private let executor: UnownedTaskExecutor
    /// The jobs of this loop's thread.
    let jobs: LoopJobs

    /// The most parts of tasks that run between two looks for events.
    private static let tasksPerTurn = 256
    /// The most rounds of tasks and turn steps between two looks for events.
    private static let roundsPerTurn = 8

    init(poller: Poller, jobs: LoopJobs, executor: LoopExecutor, watch: TurnWatch) {
        self.poller = poller
        self.jobs = jobs
        self.executor = executor.asUnownedTaskExecutor()
        self.watch = watch
    }

    /// The loop of the calling thread; nil on a thread that is no event thread.
    ///
    /// Do not keep it over an `await`: when the thread has stopped, the task goes on elsewhere.
    public static var current: Loop? {
        cloakroom_current_loop().map { Unmanaged<Loop>.fromOpaque($0).takeUnretainedValue() }
    }

    /// True if the loop is the one of the calling thread.
    var isCurrent: Bool { cloakroom_current_loop() == Unmanaged.passUnretained(self).toOpaque() }

    /// Makes the loop the one of the calling thread, for as long as the body runs.
    func withCurrent(_ body: () -> Void) {
        cloakroom_set_current_loop(Unmanaged.passUnretained(self).toOpaque())
        body()
        cloakroom_set_current_loop(nil)
    }

    // MARK: Descriptors

    /// Calls the handler in each turn in which the descriptor is ready, until `unwatch`.
    ///
    /// Watching a descriptor again replaces interest and handler. An empty interest keeps the handler and reports
    /// nothing. Unwatch before closing, because the number of a closed descriptor may be reused at once.
    ///
    /// - Throws: `.unavailable` when epoll accepts no more descriptors, or no descriptor of this kind.
    public func watch(
        _ descriptor: Int32, for interest: DescriptorReadiness, _ handler: @escaping (Loop, DescriptorReadiness) -> Void
    ) throws(EventThreadError) {
        generation &+= 1
        let watch = Watch(interest: interest, generation: generation, handler: handler)
        let previous = watches.updateValue(watch, forKey: descriptor)?.interest ?? []
        do {
            try apply(interest, to: descriptor, generation: generation, previous: previous)
        } catch {
            watches[descriptor] = nil
            throw error
        }
    }

    /// Changes the events that a descriptor is watched for; does nothing for an unwatched descriptor.
    ///
    /// - Throws: `.unavailable`, as `watch` does.
    public func change(_ descriptor: Int32, to interest: DescriptorReadiness) throws(EventThreadError) {
        guard let watch = watches[descriptor], watch.interest != interest else { return }
        try apply(interest, to: descriptor, generation: watch.generation, previous: watch.interest)
        watches[descriptor]?.interest = interest
    }

    /// Stops watching a descriptor; none of its events is delivered after this, not even an event of the current turn.
    public func unwatch(_ descriptor: Int32) {
        guard watches.removeValue(forKey: descriptor) != nil else { return }
        poller.remove(descriptor)
    }

    private func apply(
        _ interest: DescriptorReadiness, to descriptor: Int32, generation: UInt32, previous: DescriptorReadiness
    ) throws(EventThreadError) {
        // epoll reports errors and hang-ups even for an empty interest, which would spin the loop.
        if interest.isEmpty { return poller.remove(descriptor) }
        // The generation discards events fetched for a descriptor that was closed and whose number was reused in the
        // same turn.
        let token = UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor))
        let code = poller.set(descriptor, interest.epollEvents, token: token, isNew: previous.isEmpty)
        guard code == 0 else { throw .unavailable(code: code) }
    }

    // MARK: Timers

    /// Calls the action once, at the instant or up to a millisecond and one turn later.
    public func schedule(at due: ContinuousClock.Instant, _ action: @escaping (Loop) -> Void) -> TimerID {
        timers.insert(due: due, action)
    }

    /// Cancels a timer.
    ///
    /// - Returns: True if the timer was still pending.
    @discardableResult
    public func cancel(_ timer: TimerID) -> Bool {
        timers.remove(timer) != nil
    }

    // MARK: Stop

    /// Adds a handler that runs when the thread stops, the last added first; it ends everything that still waits.
    public func onStop(_ handler: @escaping (Loop) -> Void) -> StopHandlerID {
        lastStopHandler += 1
        let id = StopHandlerID(value: lastStopHandler)
        stopHandlers.append((id, handler))
        return id
    }

    /// Removes a stop handler.
    public func removeStopHandler(_ id: StopHandlerID) {
        stopHandlers.removeAll { $0.id == id }
    }

    // MARK: Turns

    /// Adds a step that runs in each turn after the tasks, before the loop waits for events.
    ///
    /// - Parameter step: Returns true to run again before the loop waits.
    /// - Returns: The name of the step, for `removeTurnStep`.
    package func addTurnStep(_ step: @escaping (Loop) -> Bool) -> TurnStepID {
        lastStep += 1
        let id = TurnStepID(value: lastStep)
        steps.append((id, step))
        return id
    }

    /// Removes a turn step; not from within one.
    package func removeTurnStep(_ id: TurnStepID) {
        steps.removeAll { $0.id == id }
    }

    /// Adds a part of a task, which runs in this turn or the next.
    func enqueue(_ task: UnownedJob) {
        tasks.append(task)
    }

    /// Takes the parts of tasks that have not run, because the loop will run none any more.
    func takeTasks() -> [UnownedJob] {
        let left = Array(tasks[nextTask...])
        tasks = []
        nextTask = 0
        return left
    }

    /// Runs parts of tasks, until there are none or the budget is used up.
    private func runTasks(_ budget: inout Int) {
        let before = budget
        while nextTask < tasks.count, budget > 0 {
            let task = tasks[nextTask]
            nextTask += 1
            budget -= 1
            task.runSynchronously(on: executor)
        }
        watch.pieces.tasks += before - budget
        if nextTask == tasks.count {
            tasks.removeAll(keepingCapacity: tasks.capacity <= 4096)
            nextTask = 0
        } else if nextTask >= 4096 {
            tasks.removeFirst(nextTask)
            nextTask = 0
        }
    }

    /// Runs the jobs that were posted since the last turn.
    func run(_ posted: [@Sendable (Loop) -> Void]) {
        watch.pieces.jobs += posted.count
        for job in posted { job(self) }
    }

    /// Runs tasks, due timers and turn steps, waits for events, delivers them.
    ///
    /// - Parameter mayWait: Returns false if jobs were posted meanwhile.
    func turn(mayWait: () -> Bool) {
        if timers.nextDue != nil {
            let now = ContinuousClock.now
            while let action = timers.popDue(at: now) {
                watch.pieces.timers += 1
                action(self)
            }
        }
        var budget = Self.tasksPerTurn
        var rounds = 0
        var isDue = false
        repeat {
            runTasks(&budget)
            isDue = false
            // The later ones first: a request that the listener begins asks a store that was there before it, whose
            // step then sends what was asked.
            for step in steps.reversed() where step.run(self) { isDue = true }
            rounds += 1
        } while (isDue || nextTask < tasks.count) && budget > 0 && rounds < Self.roundsPerTurn
        isDue = isDue || nextTask < tasks.count
        watch.end()
        var isWoken = false
        poller.wait(timeout: !isDue && mayWait() ? timeout() : 0) { token, events in
            if !isWoken { watch.begin() }
            isWoken = true
            let descriptor = Int32(truncatingIfNeeded: token)
            guard let entry = watches[descriptor], entry.generation == UInt32(token >> 32) else { return }
            let ready = DescriptorReadiness(epollEvents: events, asked: entry.interest)
            guard !ready.isEmpty else { return }
            watch.pieces.events += 1
            entry.handler(self, ready)
        }
        if !isWoken { watch.begin() }
    }

    func stop() {
        while let handler = stopHandlers.popLast() { handler.run(self) }
        for descriptor in watches.keys { poller.remove(descriptor) }
        watches = [:]
        timers = TimerQueue()
        steps = []
    }

    /// Milliseconds until the next timer, rounded up so that no extra turn waits for the remainder.
    private func timeout() -> Int32 {
        guard let due = timers.nextDue else { return -1 }
        let (seconds, attoseconds) = ContinuousClock.now.duration(to: due).components
        if seconds < 0 || attoseconds < 0 { return 0 }
        if seconds >= 3600 { return 3_600_000 }
        return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}

/// Identifies one turn step of one loop.
package struct TurnStepID: Hashable, Sendable {
    let value: UInt64
}

/// Identifies one stop handler of one loop.
public struct StopHandlerID: Hashable, Sendable {
    let value: UInt64
}
