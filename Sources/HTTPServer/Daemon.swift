internal import Basics
internal import CMicroHTTPD
internal import EventLoop
internal import Logs

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// One libmicrohttpd daemon on an event thread, which gets its connections from the acceptor.
///
/// The loop watches the daemon's epoll set and runs the daemon in a turn step. The daemon does not listen itself. Its own
/// way to stop listening (`MHD_quiesce_daemon`) races with its thread in 0.9.75 and may abort the process; a listening
/// socket per daemon (`SO_REUSEPORT`) spreads connections by hash, hence unevenly.
///
/// Sendable invariant: after `init`, everything but the constants is used on the event thread only.
final class Daemon: @unchecked Sendable {
    let core: ListenerCore
    let thread: EventThread
    private var raw: OpaquePointer?
    private let logger: UnsafeMutablePointer<cloakroom_mhd_logger>
    private var step: TurnStepID?
    private var stopHandler: StopHandlerID?
    /// True if libmicrohttpd has something to do that its epoll set does not report.
    private var mustRun = false
    /// The number of parked connections; see `Exchange.Pause`.
    var parked = 0
    /// The number of connections with a queued response that are not suspended.
    var sending = 0
    /// The parked connections whose wait has ended, for the end of the run under way.
    private var unsettled: [Connection] = []
    private var isRunning = false
    /// True if the run under way did something besides asking for responses of parked connections.
    private var hasProgressed = false
    private var timer: TimerID?
    /// The number of the connection that `MHD_add_connection` is to begin; nil once it has begun: then its end counts it
    /// out.
    private var coming: UInt64?
    /// The open connections by their numbers.
    private(set) var connections: [UInt64: Connection] = [:]
    /// The connections without a complete head.
    var idle = WaitingList()
    /// The connections with a body in flight, and connections whose body has come since they were added.
    var receiving = WaitingList()
    var sweepTimer: TimerID?

    /// How long starting and stopping wait for the event thread.
    private static let patience = Duration.seconds(30)

    /// Starts the daemon; nil when libmicrohttpd or the event thread cannot.
    init?(_ core: ListenerCore, on thread: EventThread) {
        self.core = core
        self.thread = thread
        logger = .allocate(capacity: 1)
        let context = Unmanaged.passRetained(self)
        logger.initialize(to: cloakroom_mhd_logger(emit: emitLog, context: context.toOpaque()))
        var options = cloakroom_mhd_options()
        options.logger = logger
        options.context = context.toOpaque()
        options.access = accessHandler
        options.target = noteTarget
        options.unescape = { _, _, text in text.map { strlen($0) } ?? 0 }
        options.completed = requestCompleted
        options.connection = connectionChanged
        options.memory = core.connectionMemory
        // The acceptor enforces the limit; the daemon's own must only not be smaller. The sweep enforces all time
        // limits.
        options.connections = UInt32(core.limits.connections) + 1024
        raw = cloakroom_mhd_start(&options)
        guard raw != nil else {
            release()
            return nil
        }
        guard onThread({ [self] loop in attach(loop) }) == true else { return nil }
    }

    /// Runs a body on the event thread and waits until it has run.
    ///
    /// - Returns: Nil when the thread has stopped, or is held for longer than `patience`.
    private func onThread<Result: Sendable>(_ body: @escaping @Sendable (Loop) -> Result) -> Result? {
        if thread.isCurrent, let loop = Loop.current { return body(loop) }
        let result = Monitor<Result?>(nil)
        guard
            thread.post({ loop in
                let value = body(loop)
                result.change { $0 = value }
            })
        else { return nil }
        return result.wait(atMost: Self.patience) { $0 }
    }

    /// Makes the loop run the daemon from now on.
    ///
    /// - Returns: False when the system has no memory to watch the daemon's epoll set; then the daemon is over.
    private func attach(_ loop: Loop) -> Bool {
        guard let raw else { return false }
        do {
            try loop.watch(cloakroom_mhd_epoll(raw), for: .readable) { [unowned self] _, _ in mustRun = true }
        } catch {
            finish(loop)
            return false
        }
        step = loop.addTurnStep { [unowned self] _ in run() }
        // A loop that ends before the listener takes its connections with it.
        stopHandler = loop.onStop { [unowned self] loop in finish(loop) }
        return true
    }

    /// Runs the daemon if it has something to do.
    ///
    /// While a connection is parked, libmicrohttpd says that it has something to do at once, which would keep the thread
    /// busy. It is believed as long as something else goes on; the timer sees to what this overlooks.
    ///
    /// - Returns: True if it has more to do at once.
    private func run() -> Bool {
        guard mustRun, let raw else { return false }
        mustRun = false
        hasProgressed = false
        isRunning = true
        MHD_run(raw)
        isRunning = false
        for connection in unsettled { connection.settle() }
        // An event that libmicrohttpd fetched before a response was queued is seen in another run only.
        if !unsettled.isEmpty { mustRun = true }
        unsettled = []
        if parked == 0 || hasProgressed || sending > 0, cloakroom_mhd_is_due(raw) != 0 { mustRun = true }
        return mustRun
    }

    /// Queues the response of a parked connection, now or after the run under way: a call of libmicrohttpd about one
    /// connection must not touch another.
    func settleSoon(_ connection: Connection) {
        if isRunning { return unsettled.append(connection) }
        connection.settle()
        mustRun = true
    }

    /// Notes that libmicrohttpd has done something besides asking for the response of a parked connection.
    fileprivate func hasMoved() { hasProgressed = true }

    /// Notes a parked connection, and makes the daemon run again soon.
    func park() {
        parked += 1
        hasProgressed = true
        if timer == nil, let loop = Loop.current { watchParked(loop) }
    }

    private func watchParked(_ loop: Loop) {
        timer = loop.schedule(at: .now + core.parkTime) { [weak self] loop in
            guard let self else { return }
            timer = nil
            guard parked > 0, raw != nil else { return }
            mustRun = true
            watchParked(loop)
        }
    }

    /// Makes the loop run the daemon in this turn or the next; on the event thread only.
    func runSoon() { mustRun = true }

    /// Serves a connection; the socket belongs to the daemon from now on.
    ///
    /// If the connection cannot be served, it is counted out.
    func add(
        _ socket: Int32, _ number: UInt64, _ peer: PeerAddress, _ address: sockaddr_storage, _ length: socklen_t
    ) {
        let isPosted = thread.post { [self] _ in
            guard let raw else { return refuse(socket, peer) }
            coming = number
            let isTaken = withUnsafePointer(to: address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    MHD_add_connection(raw, socket, address, length) == .YES
                }
            }
            // libmicrohttpd has closed the socket that it does not take.
            if !isTaken, coming != nil { core.countOut(peer) }
            coming = nil
            mustRun = true
        }
        if !isPosted { refuse(socket, peer) }
    }

    private func refuse(_ socket: Int32, _ peer: PeerAddress) {
        close(socket)
        core.countOut(peer)
    }

    /// Takes in a connection that libmicrohttpd has begun; nil if it was not asked to.
    fileprivate func begin(_ raw: OpaquePointer) -> Connection? {
        guard let number = coming, let loop = Loop.current else { return nil }
        coming = nil
        let connection = Connection(
            daemon: self, raw: raw, number: number, socket: cloakroom_mhd_socket(raw),
            peer: PeerAddress(cloakroom_mhd_peer(raw)))
        connections[number] = connection
        beginsIdle(connection)
        watch(connection, loop)
        // The acceptor handed the connection over before the stop, which has found all others.
        if core.drain.isHalted { connection.halt() }
        return connection
    }

    /// Forgets a connection, just before libmicrohttpd closes the socket.
    fileprivate func end(_ connection: Connection) {
        Loop.current?.unwatch(connection.socket)
        connection.close()
        endsWaiting(connection)
        connections[connection.number] = nil
        core.countOut(connection.peer)
    }

    /// Closes all connections and ends the daemon; blocks until the event thread has done that.
    ///
    /// None should be open: libmicrohttpd 0.9.75 ends the process when it refuses a request itself while it stops (one
    /// that breaks its grammar or does not fit its memory), because it then builds the head of a response that it has
    /// not queued.
    func stop() {
        // Nil also where the thread has stopped: then its stop handler has ended the daemon.
        _ = onThread { [self] loop in finish(loop) }
    }

    /// Ends the daemon; a second call does nothing.
    private func finish(_ loop: Loop) {
        guard let raw else { return }
        // libmicrohttpd aborts the process when a connection is suspended while it stops.
        core.drain.beginDraining()
        core.drain.halt()
        for connection in connections.values {
            connection.halt()
            connection.resumeNow()
        }
        loop.unwatch(cloakroom_mhd_epoll(raw))
        if let timer { loop.cancel(timer) }
        if let sweepTimer { loop.cancel(sweepTimer) }
        if let step { loop.removeTurnStep(step) }
        if let stopHandler { loop.removeStopHandler(stopHandler) }
        self.raw = nil
        MHD_stop_daemon(raw)
        release()
    }

    private func release() {
        logger.deallocate()
        Unmanaged.passUnretained(self).release()
    }
}

private func connection(_ raw: OpaquePointer?) -> Connection? {
    guard let raw, let context = cloakroom_mhd_context(raw) else { return nil }
    return Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
}

private let accessHandler: MHD_AccessHandlerCallback = {
    _, raw, _, method, version, data, size, request in
    guard let connection = connection(raw), let method, let version, let size, let request else { return .NO }
    if !connection.isParked { connection.daemon.hasMoved() }
    if request.pointee == nil {
        request.pointee = UnsafeMutableRawPointer(bitPattern: 1)
        return connection.begin(method: method, version: version)
    }
    guard size.pointee > 0 else { return connection.finishRequest() }
    guard let left = connection.receive(UnsafeRawBufferPointer(start: data, count: size.pointee)) else { return .NO }
    size.pointee = left
    return .YES
}

private let noteTarget:
    @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) -> UnsafeMutableRawPointer? = {
        _, target, raw in
        guard let connection = connection(raw), let target else { return nil }
        let length = strlen(target)
        target.withMemoryRebound(to: UInt8.self, capacity: length) { bytes in
            connection.noteTarget(UnsafeBufferPointer(start: bytes, count: length))
        }
        return nil
    }

private let requestCompleted: MHD_RequestCompletedCallback = { _, raw, request, code in
    request?.pointee = nil
    guard let connection = connection(raw) else { return }
    connection.daemon.hasMoved()
    connection.complete(cleanly: code == .REQUEST_TERMINATED_COMPLETED_OK)
}

private func daemon(_ context: UnsafeMutableRawPointer) -> Daemon {
    Unmanaged<Daemon>.fromOpaque(context).takeUnretainedValue()
}

private let connectionChanged: MHD_NotifyConnectionCallback = { context, raw, slot, change in
    guard let context, let raw, let slot else { return }
    let daemon = daemon(context)
    daemon.hasMoved()
    if change == .CONNECTION_NOTIFY_STARTED {
        slot.pointee = daemon.begin(raw).map { Unmanaged.passRetained($0).toOpaque() }
    } else if let pointer = slot.pointee {
        slot.pointee = nil
        daemon.end(Unmanaged<Connection>.fromOpaque(pointer).takeRetainedValue())
    }
}

private let emitLog: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Void = { context, message in
    guard let context, let message else { return }
    daemon(context).core.logger.debug("libmicrohttpd", metadata: ["message": "\(String(cString: message))"])
}
