internal import Basics
internal import EventLoop

/// One event thread of a store, with the connections that carry the commands of this thread's tasks.
///
/// A command from the thread itself takes no lock, no system call but its write, and no change of thread.
final class Lane: Sendable {
    private let events: EventThread
    private let core: LoopBound<LaneCore>
    /// The commands from other threads.
    private let inbox = Locked<[CommandRequest]>([])

    init(_ settings: RedisSettings, _ limits: RedisStoreLimits, events: EventThread, report: WireReport) {
        self.events = events
        core = LoopBound(LaneCore(settings, limits, events: events, report: report))
    }

    /// True on the thread of the lane.
    var isCurrent: Bool { events.isCurrent }

    /// Begins to connect.
    func start() {
        post { core, loop in core.start(loop) }
    }

    /// Runs a body on the thread, with what belongs to it.
    ///
    /// - Returns: False when the thread has stopped; the body never runs then.
    @discardableResult
    func post(_ body: @escaping @Sendable (LaneCore, Loop) -> Void) -> Bool {
        let core = core
        return events.post { loop in body(core.value(on: loop), loop) }
    }

    /// Sends a command with all others of the same turn of the thread.
    func submit(_ request: CommandRequest) {
        if isCurrent, let loop = Loop.current { return core.value(on: loop).add(request, loop) }
        let isFirst = inbox.withLock { inbox in
            inbox.append(request)
            return inbox.count == 1
        }
        guard isFirst else { return }
        let inbox = inbox
        // One job takes all that came in until it runs, and sends them together.
        let posted = post { core, loop in core.submit(Self.take(inbox), loop) }
        guard !posted else { return }
        for request in Self.take(inbox) { request.finish(.failure(.notSent)) }
    }

    private static func take(_ inbox: Locked<[CommandRequest]>) -> [CommandRequest] {
        inbox.withLock { inbox in
            defer { inbox = [] }
            return inbox
        }
    }

    /// Closes the connections; returns once all commands have their answers or their deadlines passed.
    func close() async {
        await withCheckedContinuation { continuation in
            let posted = post { core, loop in core.close(loop, atOnce: false) { continuation.resume() } }
            if !posted { continuation.resume() }
        }
    }

    /// Closes the connections without waiting.
    func closeAtOnce() {
        post { core, loop in core.close(loop, atOnce: true) {} }
    }
}
