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
    /// The slot whose node of a cluster does it, in place of that of its key.
    var slot: Int?
    let finish: @Sendable (Result<RedisReply, RedisCommandError>) -> Void
}

/// A command on the thread of its connection.
struct CommandCall {
    typealias Finish = (Result<RedisReply, RedisCommandError>, Loop) -> Void

    let command: RedisCommand
    let deadline: ContinuousClock.Instant
    let isRepeatable: Bool
    let slot: Int?
    /// True if `ASKING` goes before it: the node is about to get the slot.
    private(set) var isAsking = false
    private(set) var finish: Finish

    init(_ request: CommandRequest, _ finish: @escaping Finish) {
        command = request.command
        deadline = request.deadline
        isRepeatable = request.isRepeatable
        slot = request.slot
        self.finish = finish
    }

    /// Returns the call for one node, whose answer goes elsewhere first.
    func sent(asking isAsking: Bool, _ finish: @escaping Finish) -> CommandCall {
        var call = self
        call.isAsking = isAsking
        call.finish = finish
        return call
    }
}

/// One connection for commands; lives on an event thread.
final class CommandChannel: WireUser, CommandRoute {
    private typealias Calls = Pipeline<CommandCall.Finish>

    private let wire: Wire
    private let report: WireReport
    /// The name of the connection in the report.
    let source: WireReport.Source
    /// Called when the connection was lost or not made.
    var lost: ((Loop) -> Void)?
    private let timeout: Duration
    private var pipeline: Calls
    private var timer: (id: TimerID, due: ContinuousClock.Instant)?
    private var isClosing = false
    private var closed: [() -> Void] = []
    /// True from a write that was refused as one to a replica until a write is accepted; reads work meanwhile.
    private var isReplica = false
    /// When a connection was last given up because it leads to a replica.
    private var left: ContinuousClock.Instant?
    /// Why the connection ends once no answer is due; nil if it goes on.
    private var leaving: WireError?

    /// How often a replica is left for another server; until then its connection serves the reads.
    private static let leaveInterval = Duration.seconds(1)

    init(
        _ settings: RedisSettings, _ limits: RedisStoreLimits, events: EventThread, report: WireReport,
        find: @escaping Link.Find = { SocketAddress.find($0, $1, numeric: $2) }
    ) {
        wire = Wire(settings, scripts: Script.allCases, events: events, find: find)
        self.report = report
        source = report.source()
        timeout = settings.commandTimeout
        var bounds = Calls.Limits()
        bounds.commands = limits.pendingCommands
        pipeline = Calls(bounds)
        wire.user = self
    }

    /// True while there is a connection that the server has accepted.
    var isOpen: Bool { wire.isOpen }

    /// Begins to connect.
    func start(_ loop: Loop) {
        wire.start(loop)
    }

    /// Takes commands in their order.
    func submit(_ calls: [CommandCall], _ loop: Loop) {
        for call in calls {
            let entry = Calls.Entry(
                call.command, deadline: call.deadline, isRepeatable: call.isRepeatable, isAsking: call.isAsking,
                call: call.finish)
            // rule: in an outage a command fails at once | false
            let isHopeless = wire.isOut
            guard !isHopeless, !isClosing, pipeline.add(entry) else {
                call.finish(.failure(.notSent), loop)
                continue
            }
        }
        wire.start(loop)
        wire.flush(loop)
        setTimer(loop)
    }

    /// Accepts no more commands; calls back once all others have their answers or their deadlines passed.
    func close(_ loop: Loop, atOnce: Bool, _ done: @escaping () -> Void) {
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
        // Shows that the connection works also while there are no callers; no caller waits longer because of it.
        let end = ContinuousClock.now + timeout
        let deadline = min(pipeline.waitingDeadline ?? end, end)
        pipeline.addFirst(Calls.Entry(RedisCommand("PING"), deadline: deadline, isRepeatable: false) { _, _ in })
        setTimer(loop)
    }

    func output(atLeast count: Int, _ digests: [Script: [UInt8]]) -> [UInt8] {
        leaving == nil ? pipeline.output(atLeast: count, digests) : []
    }

    func received(_ reply: RedisReply, _ loop: Loop) throws(WireError) {
        switch pipeline.answered(reply) {
        case .partial: return
        case .stray: throw .malformed
        case .refused(let entry, let answer):
            entry.call(.success(answer), loop)
            throw .refused(answer.errorKind ?? "ERR")
        case .unmarked(let entry):
            entry.call(.failure(.unknown), loop)
            throw .forbidden("+echo")
        case .complete(let entry, let answer):
            settle(entry, answer, loop)
            // The other commands that were sent keep their answers.
            if let leaving, pipeline.isAnswered { throw leaving }
        }
        setTimer(loop)
        closeWhenDone(loop)
    }

    private func settle(_ entry: Calls.Entry, _ answer: RedisReply, _ loop: Loop) {
        switch answer.errorKind {
        case "NOSCRIPT":
            // The server forgot its scripts and did nothing; with the text it learns this one again.
            if case .script(_, _, _, byText: false) = entry.command {
                return pipeline.repeatNow(entry, as: entry.command.byText)
            }
        case "READONLY", "MASTERDOWN", "LOADING": leaveReplica(.refused(answer.errorKind ?? "READONLY"))
        case nil: noteWorking(entry, answer)
        default: break
        }
        entry.call(.success(answer), loop)
    }

    /// Another server has become the primary.
    func moved(to primary: Endpoint, _ loop: Loop) {
        wire.moved(to: primary, loop)
    }

    /// A fail-over has made a replica of the server: a new connection may reach the new primary.
    private func leaveReplica(_ cause: WireError) {
        isReplica = true
        report.ended(cause, source)
        let now = ContinuousClock.now
        // rule: a replica is left once in a while
        guard left.map({ now - $0 >= Self.leaveInterval }) ?? true else { return }
        left = now
        leaving = cause
    }

    private func noteWorking(_ entry: Calls.Entry, _ answer: RedisReply) {
        // rule: a replica counts as one until it has written | isReplica && entry.command.writes
        let accepted = isReplica && entry.command.isProofOfWriting(answer)
        guard accepted || !wire.isWorking else { return }
        wire.noteWorking()
        if accepted { isReplica = false }
        if !isReplica { report.opened(source) }
    }

    func ended(unwritten: Int, _ failure: WireError?, _ loop: Loop) {
        leaving = nil
        if let failure, !isClosing { report.ended(failure, source) }
        for entry in pipeline.end(unwritten: unwritten) { entry.call(.failure(.unknown), loop) }
        // rule: in an outage no command waits for a connection | false
        let isHopeless = wire.isOut
        if failure == nil || isHopeless {
            for entry in pipeline.removeWaiting() { entry.call(.failure(.notSent), loop) }
        }
        guard failure != nil else { return }
        setTimer(loop)
        closeWhenDone(loop)
        lost?(loop)
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
        for entry in pipeline.expire(at: now) { entry.call(.failure(.notSent), loop) }
        // A late answer could not be told from that of a later command but by its mark: the connection ends.
        if let due = pipeline.sentDeadline, due <= now { wire.end(.silent, loop) }
        for entry in pipeline.expire(at: now) { entry.call(.failure(.notSent), loop) }
        setTimer(loop)
        closeWhenDone(loop)
    }
}
