public import Basics
public import EventLoop
public import Logs
public import StorageKit

/// A store in a Redis or Valkey server: for several machines.
///
/// One connection carries all commands, pipelined, on the event thread; a second one receives change messages and is made with
/// the first subscription. Every commit is one script, so it is done as a whole or not at all. A command waits for a
/// connection that was just lost; from the second failed attempt on operations throw `.unavailable` at once. A commit that was sent and not answered does too, and may have been done.
/// All expiry times are compared with the clock of the caller: the machines need clocks that agree. Redis 7.0 or Valkey,
/// with `maxmemory-policy noeviction` and an append-only file if sessions shall outlive it.
public final class RedisStore: ByteStore, SessionIndex, ChangeMessages {
    private let events: EventThread
    private let core: LoopBound<RedisCore>
    private let inbox = Locked<[CommandRequest]>([])
    private let isClosed = Locked(false)
    private let hub: ChangeHub
    private let settings: RedisSettings
    let keys: KeyNames
    let limits: RedisStoreLimits
    let time: any TimeSource
    let report: WireReport

    /// Makes a store and begins to connect; a server that does not answer yet is no error.
    ///
    /// - Parameters:
    ///   - settings: Where the server is, and how to sign in to it.
    ///   - events: The thread for the connections; the store ends with it.
    ///   - time: The clock that all expiry times are compared with.
    ///   - limits: The bounds.
    ///   - logger: Gets failures of the server, without any data.
    public init(
        _ settings: RedisSettings, on events: EventThread, time: any TimeSource,
        limits: RedisStoreLimits = RedisStoreLimits(), logger: Logger = .silent
    ) {
        precondition(RedisSettings.isPrefix(settings.prefix), "the prefix of all keys has 1 to 64 plain characters")
        self.settings = settings
        self.events = events
        self.time = time
        self.limits = limits
        keys = KeyNames(settings.prefix)
        report = WireReport("\(settings.address)", "commands", logger)
        let changesReport = WireReport("\(settings.address)", "changes", logger)
        let later = Later()
        hub = ChangeHub { subject in later.store.withLock { $0 }?(subject) }
        core = LoopBound(
            RedisCore(
                settings, limits, events: events, hub: hub, keys: keys, commandReport: report,
                changesReport: changesReport))
        let core = core
        later.store.withLock {
            $0 = { subject in events.post { loop in core.value(on: loop).unlisten(subject, loop) } }
        }
        events.post { loop in core.value(on: loop).start(loop) }
    }

    deinit {
        let core = core
        events.post { loop in core.value(on: loop).close(loop, atOnce: true) {} }
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

    /// See `ByteStore.ping`.
    public func ping() async throws(StoreError) {
        guard try await ask(RedisCommand("PING"), isRepeatable: true) == .status("PONG") else { throw malformed() }
    }

    /// See `ByteStore.close`; returns once earlier operations have their answers or their deadlines passed.
    public func close() async {
        isClosed.withLock { $0 = true }
        hub.close()
        let core = core
        await withCheckedContinuation { continuation in
            let posted = events.post { loop in core.value(on: loop).close(loop) { continuation.resume() } }
            if !posted { continuation.resume() }
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
    func answer(_ command: RedisCommand, isRepeatable: Bool = false) async -> RedisReply? {
        guard !isClosed.withLock({ $0 }) else { return nil }
        let deadline = ContinuousClock.now + settings.commandTimeout
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<RedisReply, RedisCommandError>, Never>) in
            hand(
                CommandRequest(command: command, deadline: deadline, isRepeatable: isRepeatable) {
                    continuation.resume(returning: $0)
                })
        }
        if case .success(let reply) = result { return reply }
        return nil
    }

    /// Puts a command into the inbox; one job takes all that came in until it runs, and sends them together.
    private func hand(_ request: CommandRequest) {
        let isFirst = inbox.withLock { inbox in
            inbox.append(request)
            return inbox.count == 1
        }
        guard isFirst else { return }
        let (core, inbox) = (core, inbox)
        let posted = events.post { loop in
            let requests = inbox.withLock { inbox in
                defer { inbox = [] }
                return inbox
            }
            core.value(on: loop).submit(requests, loop)
        }
        guard !posted else { return }
        let requests = inbox.withLock { inbox in
            defer { inbox = [] }
            return inbox
        }
        for request in requests { request.finish(.failure(.notSent)) }
    }

    /// Logs an answer that has not the form that it must have.
    func malformed() -> StoreError {
        report.refused("MALFORMED")
        return .unavailable
    }

    var now: Int64 { time.now().milliseconds }
}
