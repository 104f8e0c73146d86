import Basics
import CSimulation

/// One thread and a time of its own: numbers that follow from a seed decide which of the ready jobs runs next, and when time
/// goes on.
///
/// Time stands still while a job runs and goes on when nothing is ready, straight to what happens next. So an hour takes as
/// long as what happens in it, and the same seed does the same in any process.
///
/// Sendable invariant: everything of a world happens on the thread that runs it; `CSimulation` ends a process in which a
/// job comes from another one.
final class World: @unchecked Sendable {
    /// When a world begins, by the monotonic clock.
    private static let beginning = Duration.seconds(1000)
    /// A job may be later than a timer that is due by then; no world has processes that stall for longer.
    private static let slack = Duration.milliseconds(20)
    private static let mostJobs = 3_000_000

    let seed: UInt64
    let record: Record
    let faults: Faults
    /// How long things take.
    var spans: SeededNumbers
    /// Since the world began.
    private(set) var now = Duration.zero
    /// The jobs that have run.
    private(set) var jobs = 0
    /// Whether the world is coming to its end: whoever waits goes on at once, and nothing outside answers any more.
    private(set) var isEnding = false
    private var ready: [UnsafeMutableRawPointer] = []
    private var timers = TimerHeap()
    private var order: SeededNumbers

    init(_ seed: UInt64, record: Record, without: Set<String>) {
        self.seed = seed
        self.record = record
        faults = Faults(seed, without: without)
        spans = SeededNumbers(seed, "spans")
        order = SeededNumbers(seed, "order")
        simulation_seed_random(seed)
        showTime()
    }

    /// Has something happen at an instant, at once when that has passed.
    func at(_ instant: Duration, _ action: @escaping () -> Void) { timers.add(max(instant, now), action) }

    /// Has something happen after a span.
    func after(_ span: Duration, _ action: @escaping () -> Void) { at(now + span, action) }

    /// Runs a body as the only task, with all that comes of it, until it is done; then what is left over until nothing is.
    func run(_ body: @escaping @Sendable () async -> Void) {
        Stage.shared.world = self
        let done = Once<Bool>()
        Task.detached {
            await body()
            done.set(true)
        }
        while done.value == nil {
            guard goOn() else { return fail(.deadlock, "nothing is ready, and nothing will happen") }
            guard jobs < Self.mostJobs else { return fail(.livelock, "\(jobs) jobs have run") }
        }
        record.count(.check, "a world that comes to its end")
        isEnding = true
        faults.areOver = true
        let last = jobs + 500_000
        while goOn() {
            guard jobs < last else { return fail(.livelock, "tasks that do not end when all is over") }
        }
    }

    /// Makes the next thing happen.
    ///
    /// - Returns: Whether there was one.
    private func goOn() -> Bool {
        let isTimerDue = timers.next.map { $0 - now < Self.slack } ?? false
        guard !ready.isEmpty, !(isTimerDue && order.below(24) == 0) else { return passTime() }
        ready.swapAt(order.below(ready.count), ready.count - 1)
        let job = ready.removeLast()
        jobs += 1
        simulation_run(job)
        return true
    }

    private func passTime() -> Bool {
        guard let timer = timers.removeFirst() else { return false }
        if timer.due > now {
            now = timer.due
            record.now = now
            showTime()
        }
        timer.action()
        return true
    }

    private func showTime() { simulation_set_time((Self.beginning + now).nanoseconds) }

    fileprivate func take(_ job: UnsafeMutableRawPointer) { ready.append(job) }

    fileprivate func take(_ job: UnsafeMutableRawPointer, at instant: Int64) {
        at(.nanoseconds(instant) - Self.beginning) { [self] in take(job) }
    }

    /// The store has forgotten writes that were answered.
    private var hasForgotten = false

    /// From now on only those rules are asked for that hold whatever the store has forgotten.
    func forgets() { hasForgotten = true }

    /// Says that a rule was broken.
    func fail(_ rule: Rule, _ what: String) {
        guard !hasForgotten || rule.outlastsForgetting else { return }
        record.add(Finding(rule: rule, what: what, at: now))
    }

    /// Notes what happens, where somebody will read it.
    func note(_ text: @autoclosure () -> String) { if record.isRead { record.note(now, text()) } }
}

/// The world that this process is running; C functions, which cannot hold it, find it here.
///
/// Sendable invariant: one thread, as of `World`.
final class Stage: @unchecked Sendable {
    static let shared = Stage()
    var world: World?

    private init() {
        simulation_take_jobs(
            { job in if let job { Stage.shared.world?.take(job) } },
            { instant, job in if let job { Stage.shared.world?.take(job, at: instant) } })
    }
}

extension Duration {
    /// In whole nanoseconds; of what is longer than a century, a century.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return min(seconds, 3_155_760_000) * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
