public import Basics
public import EventLoop
public import Logs
public import StorageKit

/// A store in a Redis or Valkey server: for several machines.
///
/// Each event thread has one connection that carries the commands of its tasks, pipelined, on that thread; commands from
/// elsewhere use the connection of the first thread. One more receives change messages, and is made with the first
/// subscription. In a cluster each event thread has one to each master.
///
/// Every commit is one script, so it is done as a whole or not at all. A command waits for a connection that was just lost;
/// from the second failed attempt on operations throw `.unavailable` at once. A commit that was sent and not answered does
/// too, and may have been done.
/// All expiry times are compared with the clock of the caller: the machines need clocks that agree. Redis 7.0 or Valkey,
/// with `maxmemory-policy noeviction` and an append-only file if sessions shall outlive it.
public final class RedisStore: ByteStore, SessionIndex, ChangeMessages {
    /// The first event thread, with the connection for messages.
    private let events: EventThread
    private let core: LoopBound<RedisCore>
    private let lanes: [Lane]
    private let firstLane: Lane
    private let isClosed = Locked(false)
    private let hub: ChangeHub
    let settings: RedisSettings
    let keys: KeyNames
    let limits: RedisStoreLimits
    let time: any TimeSource
    let report: WireReport
    let lost = Locked(LostClaims())

    /// Makes a store with one event thread and begins to connect; a server that does not answer yet is no error.
    ///
    /// - Parameters:
    ///   - settings: Where the server is, and how to sign in to it.
    ///   - events: The thread for the connections; the store ends with it.
    ///   - time: The clock that all expiry times are compared with.
    ///   - limits: The bounds.
    ///   - logger: Gets failures of the server, without any data.
    public convenience init(
        _ settings: RedisSettings, on events: EventThread, time: any TimeSource,
        limits: RedisStoreLimits = RedisStoreLimits(), logger: Logger = .silent
    ) {
        self.init(settings, on: [events], time: time, limits: limits, logger: logger)
    }

    /// Makes a store with a connection for each of several event threads.
    ///
    /// - Parameters:
    ///   - settings: Where the server is, and how to sign in to it.
    ///   - threads: The threads whose tasks use the store, at least one; messages are received on the first.
    ///   - time: The clock that all expiry times are compared with.
    ///   - limits: The bounds.
    ///   - logger: Gets failures of the server, without any data.
    public init(
        _ settings: RedisSettings, on threads: [EventThread], time: any TimeSource,
        limits: RedisStoreLimits = RedisStoreLimits(), logger: Logger = .silent
    ) {
        precondition(RedisSettings.isPrefix(settings.prefix), "the prefix of all keys has 1 to 64 plain characters")
        guard let events = threads.first else { preconditionFailure("a store has an event thread") }
        self.settings = settings
        self.events = events
        self.time = time
        self.limits = limits
        keys = KeyNames(settings.prefix)
        let report = WireReport("\(settings.address)", "commands", logger)
        self.report = report
        lanes = threads.map { Lane(settings, limits, events: $0, report: report) }
        firstLane = lanes[0]
        let changesReport = WireReport("\(settings.address)", "changes", logger)
        let later = Later()
        hub = ChangeHub { subject in later.store.withLock { $0 }?(subject) }
        let subscriptions = Subscriptions(
            settings, limits, events: events, hub: hub, keys: keys, report: changesReport)
        core = LoopBound(
            RedisCore(settings, events: events, subscriptions: subscriptions) { [lanes] primary in
                for lane in lanes { lane.post { core, loop in core.moved(to: primary, loop) } }
            })
        let core = core
        later.store.withLock {
            $0 = { subject in events.post { loop in core.value(on: loop).unlisten(subject, loop) } }
        }
        events.post { loop in core.value(on: loop).start(loop) }
        for lane in lanes { lane.start() }
    }

    deinit {
        let core = core
        events.post { loop in core.value(on: loop).close(loop) }
        for lane in lanes { lane.closeAtOnce() }
    }

    /// The way from the hub to the core, which is made after it.
    private final class Later: Sendable {
        let store = Locked<(@Sendable (StoreSubject) -> Void)?>(nil)
    }

    // MARK: Changes and state

    /// See `ChangeMessages.changes`; after a lost connection, each subject is reported once it is heard again.
    public func changes(of subject: StoreSubject) async throws(StoreError) -> AsyncStream<Void> {
        let stream = try hub.subscribe(to: subject)
        let core = core
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Void, StoreError>, Never>) in
            let posted = events.post { loop in
                core.value(on: loop).listen(to: subject, loop) { continuation.resume(returning: $0) }
            }
            if !posted { continuation.resume(returning: .failure(.unavailable)) }
        }
        try result.get()
        return stream
    }

    /// Tells the subscribers of this process, without a way over the server.
    func tell(_ subject: StoreSubject) {
        hub.send(subject)
    }

    /// See `ByteStore.ping`; in a cluster a read, which a node refuses while the cluster is down.
    public func ping() async throws(StoreError) {
        if case .cluster = settings.address {
            let read = RedisCommand("HMGET", arguments: [keys.value("ping"), Array("e".utf8)])
            guard try await ask(read, isRepeatable: true) == .array([.null]) else { throw malformed() }
            return
        }
        guard try await ask(RedisCommand("PING"), isRepeatable: true) == .status("PONG") else { throw malformed() }
    }

    /// See `ByteStore.close`; returns once earlier operations have their answers or their deadlines passed.
    public func close() async {
        isClosed.withLock { $0 = true }
        hub.close()
        let core = core
        events.post { loop in core.value(on: loop).close(loop) }
        await withTaskGroup { group in
            for lane in lanes { group.addTask { await lane.close() } }
        }
    }

    // MARK: Commands

    /// Sends a command and waits for its answer, until the deadline.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - isRepeatable: True if the server may do it twice without harm.
    /// - Returns: The answer, which is no error.
    /// - Throws: `.full` if the server has no memory left and wrote nothing; `.unavailable`.
    func ask(_ command: RedisCommand, isRepeatable: Bool = false) async throws(StoreError) -> RedisReply {
        guard let reply = await answer(command, isRepeatable: isRepeatable) else { throw .unavailable }
        guard let kind = reply.errorKind else { return reply }
        report.refused(kind)
        throw kind == "OOM" ? .full : .unavailable
    }

    /// Sends a command and waits for its answer, which may be an error; nil if none came until the deadline.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - isRepeatable: True if the server may do it twice without harm.
    ///   - slot: The slot whose node of a cluster does it, in place of that of its key.
    /// - Returns: The answer; nil if none came.
    func answer(_ command: RedisCommand, isRepeatable: Bool = false, slot: Int? = nil) async -> RedisReply? {
        guard !isClosed.withLock({ $0 }) else { return nil }
        let deadline = ContinuousClock.now + settings.commandTimeout
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<RedisReply, RedisCommandError>, Never>) in
            hand(
                CommandRequest(command: command, deadline: deadline, isRepeatable: isRepeatable, slot: slot) {
                    continuation.resume(returning: $0)
                })
        }
        if case .success(let reply) = result { return reply }
        return nil
    }

    /// Sends a command on the connection of the calling thread, or of the first one.
    private func hand(_ request: CommandRequest) {
        (lanes.first(where: \.isCurrent) ?? firstLane).submit(request)
    }

    /// Logs an answer that has not the form that it must have.
    func malformed() -> StoreError {
        report.refused("MALFORMED")
        return .unavailable
    }

    var now: Int64 { time.now().milliseconds }
}
