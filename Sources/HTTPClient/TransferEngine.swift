internal import Basics
internal import CCurl
internal import EventLoop
internal import HTTPCore
internal import Logs

/// The exchanges and connections of a transport on one event thread: starts, ends and cancels exchanges.
///
/// Used on the event thread only. Each exchange that was admitted ends in `settle`, once.
final class TransferEngine {
    let settings: HTTPClientSettings
    let logger: Logger
    /// The field `User-Agent` of requests that have none.
    let agent: HTTPFields
    private let trust: TrustCache
    private let admission: Admission
    /// The number of the engine among those of its transport.
    private let index: Int
    /// The number of engines of the transport.
    private let engines: Int
    /// The engines of the transport.
    private let homes: Homes
    /// The loop; nil before the first exchange and after the end.
    private(set) var loop: Loop?
    private var isClosed = false
    private var stopHandler: StopHandlerID?
    /// The TLS sessions and addresses of new connections; nil while libcurl has no handle.
    private var share: CurlShare?
    /// The generation of the trust that the TLS sessions were begun with.
    private var shareGeneration = 0
    /// Every unfinished exchange, waiting or running.
    private var pending: [ObjectIdentifier: Transfer] = [:]
    private var idle = IdleConnections()
    /// The timer that closes connections that have been idle too long; nil while there is none.
    private var sweep: TimerID?
    /// The number of open connections, idle ones included.
    private var open: [RequestPool: Int] = [:]
    /// Where bytes are received; cleansed after each use.
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 16)

    /// - Throws: `.library` when libcurl provides no handle.
    init(
        _ settings: HTTPClientSettings, trust: TrustCache, admission: Admission, homes: Homes, index: Int,
        of engines: Int, logger: Logger
    ) throws(HTTPClientError) {
        self.settings = settings
        self.trust = trust
        self.admission = admission
        self.homes = homes
        self.index = index
        self.engines = engines
        self.logger = logger
        guard let field = try? HTTPField(.userAgent, checking: settings.userAgent) else {
            throw .setting(name: "userAgent")
        }
        agent = [field]
        guard let share = CurlShare() else { throw .library }
        self.share = share
    }

    deinit {
        memory.deallocate()
    }

    // MARK: Life

    /// Ends every exchange and closes all connections; a second call does nothing.
    func close() {
        isClosed = true
        guard let loop else { return }
        if let stopHandler { loop.removeStopHandler(stopHandler) }
        for transfer in pending.values {
            settle(transfer, .failure(TransportError(.refusedLocally, wasSent: transfer.wasSent)))
        }
        for connection in idle.takeAll(where: { _ in true }) { close(connection) }
        if let sweep { loop.cancel(sweep) }
        startWaiting()
        (self.loop, sweep) = (nil, nil)
    }

    // MARK: Exchanges

    /// Accepts an exchange: starts it, queues it for a place or refuses it.
    func submit(_ exchange: ClientExchange, on loop: Loop) {
        guard !isClosed else { return exchange.finish(.failure(.notReached(.refusedLocally))) }
        if self.loop == nil {
            self.loop = loop
            stopHandler = loop.onStop { _ in self.close() }
        }
        guard !exchange.isCancelled else { return exchange.finish(.failure(.cancelled)) }
        let decision = admission.admit(exchange)
        guard decision != .refuse else {
            logger.warning(
                "request refused: too many wait for a connection", metadata: exchange.plan.facts([:]))
            return exchange.finish(.failure(.notReached(.refusedLocally)))
        }
        let transfer = Transfer(exchange)
        transfer.deadline = loop.schedule(at: exchange.deadline) { _ in
            self.settle(transfer, .failure(TransportError(.timeout, wasSent: transfer.wasSent)))
            self.startWaiting()
        }
        pending[ObjectIdentifier(exchange)] = transfer
        if decision == .start { start(transfer) }
        startWaiting()
    }

    /// Ends an exchange at once, because its task was cancelled.
    func cancel(_ exchange: ClientExchange) {
        guard let transfer = pending[ObjectIdentifier(exchange)] else { return }
        settle(transfer, .failure(.cancelled))
        startWaiting()
    }

    /// The transfer of an exchange that has not ended.
    func transfer(of exchange: ClientExchange) -> Transfer? { pending[ObjectIdentifier(exchange)] }

    /// Starts an exchange that has waited and got a place.
    func resume(_ exchange: ClientExchange) {
        // Else it ended meanwhile, and its place was freed.
        guard let transfer = pending[ObjectIdentifier(exchange)], transfer.connection == nil else { return }
        start(transfer)
        startWaiting()
    }

    /// Gives the free places to exchanges that wait, here or on another event thread.
    func startWaiting() {
        while let exchange = admission.next() {
            if exchange.home != index {
                homes.resume(exchange)
            } else if let transfer = pending[ObjectIdentifier(exchange)] {
                start(transfer)
            }
        }
    }

    private func start(_ transfer: Transfer) {
        let now = ContinuousClock.now
        // rule: a request whose deadline has passed is not sent
        guard now < transfer.exchange.deadline else { return settle(transfer, .failure(.notReached(.timeout))) }
        while let connection = idle.take(transfer.plan.destination) {
            // Bytes that wait would be taken for the answer; an end would lose the request.
            guard isFresh(connection, now), case .wouldBlock = connection.receive(into: memory) else {
                close(connection)
                continue
            }
            connection.isReused = true
            (connection.transfer, transfer.connection) = (transfer, connection)
            return begin(transfer, on: connection)
        }
        connect(transfer)
    }

    /// Opens a connection for an exchange.
    func connect(_ transfer: Transfer) {
        let destination = transfer.plan.destination
        guard let loop else { return fail(transfer, "closed") }
        let needsTrust = destination.isSecure || settings.proxy?.scheme == .https
        // Without TLS nothing is read, and the sessions stay.
        let (generation, known) = needsTrust ? trust.current(at: .now) : (shareGeneration, TrustAnchors(nil))
        // A session that is resumed has no certificate that could be checked again.
        // rule: a TLS session of a former trust is not resumed
        if shareGeneration != generation { (self.share, shareGeneration) = (CurlShare(), generation) }
        guard let share = self.share ?? CurlShare() else { return fail(transfer, "no libcurl handle") }
        self.share = share
        guard let anchors = known else {
            logger.error("the CA file cannot be read any more", metadata: transfer.plan.facts([:]))
            return settle(transfer, .failure(.notReached(.tls)))
        }
        // rule: the open connections of a pool are bounded
        if open[destination.pool, default: 0] >= settings.connections,
            let oldest = idle.takeOldest(in: destination.pool)
        {
            close(oldest)
        }
        guard
            let connection = CurlConnection(
                to: destination, for: self, on: loop, settings, trust: anchors,
                generation: needsTrust ? generation : nil, share: share)
        else { return fail(transfer, "no libcurl handle") }
        open[destination.pool, default: 0] += 1
        (connection.transfer, transfer.connection) = (transfer, connection)
        connection.open()
    }

    /// Ends an exchange whose request cannot be sent.
    func fail(_ transfer: Transfer, _ reason: String, _ failure: ExchangeError = .refusedLocally) {
        logger.error("request not sent", metadata: transfer.plan.facts(["reason": "\(reason)"]))
        settle(transfer, .failure(.notReached(failure)))
    }

    /// Ends an exchange: frees its place, closes the connection that it still has, resumes its task.
    ///
    /// The caller starts waiting exchanges afterwards, so that a series of failures does not recurse.
    func settle(_ transfer: Transfer, _ outcome: ClientExchange.Outcome) {
        guard pending.removeValue(forKey: ObjectIdentifier(transfer.exchange)) != nil else { return }
        if let deadline = transfer.deadline { loop?.cancel(deadline) }
        if let idle = transfer.idleTimer { loop?.cancel(idle) }
        if let connection = transfer.connection { close(connection) }
        admission.end(transfer.exchange)
        if case .failure(let error) = outcome { log(error, transfer.plan) }
        transfer.exchange.finish(outcome)
    }

    /// Logs why no answer came, for operators: the error that callers get names neither a host nor a cause.
    private func log(_ error: TransportError, _ plan: RequestPlan) {
        switch error {
        // These are no failures, or were logged where they happened.
        case .cancelled, .notReached(.refusedLocally), .noUsableAnswer(.refusedLocally): break
        case .notReached(let failure):
            var facts: Logger.Metadata = ["reason": "\(failure.rawValue)"]
            facts["advice"] = failure.advice.map { .string($0) }
            logger.warning("peer not reached", metadata: plan.facts(facts))
        case .noUsableAnswer(let failure):
            logger.warning("no usable answer", metadata: plan.facts(["reason": "\(failure.rawValue)"]))
        }
    }

    // MARK: Connections

    /// Closes a connection and takes it from its exchange.
    func close(_ connection: CurlConnection) {
        connection.transfer?.connection = nil
        connection.transfer = nil
        connection.close()
        let pool = connection.destination.pool
        let left = (open[pool] ?? 1) - 1
        open[pool] = left == 0 ? nil : left
    }

    /// Keeps a connection that carries nothing any more.
    func keep(_ connection: CurlConnection) {
        let now = ContinuousClock.now
        connection.transfer?.connection = nil
        connection.transfer = nil
        connection.idleSince = now
        guard let loop, isFresh(connection, now) else { return close(connection) }
        idle.put(connection)
        let pool = connection.destination.pool
        let bound = idleBound(of: pool)
        // rule: the idle connections of a pool are bounded
        if idle.count > bound, idle.count(in: pool) > bound, let oldest = idle.takeOldest(in: pool) {
            close(oldest)
        }
        if sweep == nil {
            sweep = loop.schedule(at: now + sweepTime) { _ in self.closeOld() }
        }
    }

    /// The most idle connections of a pool on this thread: its share of what the pool may have in use.
    private func idleBound(of pool: RequestPool) -> Int {
        let most = pool.origin != nil ? min(settings.connections, settings.connectionsPerHost) : settings.connections
        return max(1, most / engines)
    }

    /// The time between two looks for idle connections that are too old.
    private var sweepTime: Duration { min(settings.idleTime, settings.connectionLifetime) }

    /// Handles bytes or an end on an idle connection.
    func idleReady(_ connection: CurlConnection) {
        // Nothing of the peer's but TLS itself: session tickets, new keys.
        if connection.holdsBytes, case .wouldBlock = connection.receive(into: memory) { return }
        // rule: bytes or an end without a request close a connection
        if idle.remove(connection) { close(connection) }
    }

    private func isFresh(_ connection: CurlConnection, _ now: ContinuousClock.Instant) -> Bool {
        // rule: a connection of a former trust is closed
        if let former = connection.trustGeneration, former != trust.generation(at: now) { return false }
        // rule: a connection that was idle too long is closed
        guard now < connection.idleSince + settings.idleTime else { return false }
        // rule: a connection that is too old is closed | true
        return now < connection.openedAt + settings.connectionLifetime
    }

    /// Closes the idle connections that may not be used any more.
    func closeStale() {
        let now = ContinuousClock.now
        for connection in idle.takeAll(where: { !isFresh($0, now) }) { close(connection) }
    }

    private func closeOld() {
        sweep = nil
        closeStale()
        if let loop, idle.count > 0 {
            // At most one limit late: a connection that has become too old is not used, but still open.
            sweep = loop.schedule(at: .now + sweepTime) { _ in self.closeOld() }
        }
    }
}
