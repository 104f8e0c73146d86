internal import EventLoop
internal import Logs

/// Why a command has no answer.
enum RedisCommandError: Error, Equatable, Sendable {
    /// The server cannot have done it.
    case notSent
    /// It was sent and not answered: the server may have done it.
    case unknown
}

/// A command of a caller, on its way to the event thread.
struct CommandRequest: Sendable {
    let command: RedisCommand
    let deadline: ContinuousClock.Instant
    /// True if the server may do it twice without harm, so that it may be sent again on another connection.
    let isRepeatable: Bool
    let finish: @Sendable (Result<RedisReply, RedisCommandError>) -> Void
}

/// The connection of all commands; lives on the event thread.
final class CommandChannel: WireUser {
    private typealias Calls = Pipeline<@Sendable (Result<RedisReply, RedisCommandError>) -> Void>

    private let wire: Wire
    private let report: WireReport
    private var pipeline: Calls
    private var timer: (id: TimerID, due: ContinuousClock.Instant)?
    private var isClosing = false
    private var closed: [@Sendable () -> Void] = []

    init(_ settings: RedisSettings, _ limits: RedisStoreLimits, events: EventThread, report: WireReport) {
        wire = Wire(settings, scripts: Script.allCases, events: events)
        self.report = report
        var bounds = Calls.Limits()
        bounds.commands = limits.pendingCommands
        pipeline = Calls(bounds)
        wire.user = self
    }

    /// Begins to connect.
    func start(_ loop: Loop) {
        wire.start(loop)
    }

    /// Takes commands in their order.
    func submit(_ requests: [CommandRequest], _ loop: Loop) {
        for request in requests {
            let entry = Calls.Entry(
                request.command, deadline: request.deadline, isRepeatable: request.isRepeatable, call: request.finish)
            // Were a command to wait for a connection that comes after its deadline, an outage would cost each caller that time.
            let isHopeless = wire.retry.map { $0 >= request.deadline } ?? false
            guard !isClosing, !isHopeless, pipeline.add(entry) else {
                request.finish(.failure(.notSent))
                continue
            }
        }
        wire.start(loop)
        wire.flush(loop)
        setTimer(loop)
    }

    /// Accepts no more commands; calls back once all others have their answers or their deadlines passed.
    func close(_ loop: Loop, atOnce: Bool, _ done: @escaping @Sendable () -> Void) {
        isClosing = true
        closed.append(done)
        if atOnce { wire.close(loop) }
        closeWhenDone(loop)
    }

    private func closeWhenDone(_ loop: Loop) {
        guard isClosing, pipeline.isEmpty else { return }
        wire.close(loop)
        if let timer { loop.cancel(timer.id) }
        timer = nil
        let waiters = closed
        closed = []
        for waiter in waiters { waiter() }
    }

    // MARK: The connection

    func opened(_ loop: Loop) {
        report.opened()
    }

    func output(atLeast count: Int, _ digests: [Script: [UInt8]]) -> [UInt8] {
        pipeline.output(atLeast: count, digests)
    }

    func received(_ reply: RedisReply, _ loop: Loop) throws(WireError) {
        switch pipeline.answered(reply) {
        case .partial: return
        case .stray: throw .malformed
        case .refused(let entry, let answer):
            entry.call(.success(answer))
            throw .refused(answer.errorKind ?? "ERR")
        case .complete(let entry, let answer):
            try settle(entry, answer)
        }
        setTimer(loop)
        closeWhenDone(loop)
    }

    private func settle(_ entry: Calls.Entry, _ answer: RedisReply) throws(WireError) {
        switch answer.errorKind {
        case "NOSCRIPT":
            // The server forgot its scripts and did nothing; with the text it learns this one again.
            if case .script(_, _, _, byText: false) = entry.command {
                return pipeline.repeatNow(entry, as: entry.command.byText)
            }
            entry.call(.success(answer))
        case "READONLY":
            // A fail-over has made a replica of it: a new connection may reach the new primary.
            entry.call(.success(answer))
            throw .refused("READONLY")
        default: entry.call(.success(answer))
        }
    }

    func ended(unwritten: Int, _ failure: WireError?, _ loop: Loop) {
        if let failure { report.ended(failure) }
        for entry in pipeline.end(unwritten: unwritten) { entry.call(.failure(.unknown)) }
        guard failure == nil else { return setTimer(loop) }
        for entry in pipeline.removeWaiting() { entry.call(.failure(.notSent)) }
    }

    // MARK: Deadlines

    private func setTimer(_ loop: Loop) {
        let due = [pipeline.sentDeadline, pipeline.waitingDeadline].compactMap { $0 }.min()
        guard due != timer?.due else { return }
        if let timer { loop.cancel(timer.id) }
        timer = due.map { due in
            let id = loop.schedule(at: due) { [weak self] loop in
                self?.timer = nil
                self?.expire(loop)
            }
            return (id, due)
        }
    }

    private func expire(_ loop: Loop) {
        let now = ContinuousClock.now
        for entry in pipeline.expire(at: now) { entry.call(.failure(.notSent)) }
        // A late answer could not be told from that of a later command but by its mark: the connection ends.
        if let due = pipeline.sentDeadline, due <= now { wire.end(.silent, loop) }
        for entry in pipeline.expire(at: now) { entry.call(.failure(.notSent)) }
        setTimer(loop)
        closeWhenDone(loop)
    }
}
