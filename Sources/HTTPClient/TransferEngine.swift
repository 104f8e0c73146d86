internal import Basics
internal import CCurl
internal import EventLoop
internal import HTTPCore
internal import Logs

/// libcurl's multi handle on an event thread: starts, watches, ends and cancels transfers.
///
/// Used on the event thread only, between `attach` and `close`. libcurl reports sockets and timers by callbacks during
/// calls into it, so no property may be under exclusive access during such a call.
final class TransferEngine {
    private let settings: HTTPClientSettings
    private let trust: TrustStore
    private let logger: Logger
    private var multi: UnsafeMutableRawPointer?
    private var loop: Loop?
    private var stopHandler: StopHandlerID?
    private var timer: TimerID?
    private var watched: Set<Int32> = []
    /// The sockets in `watched` that libcurl does not need now: those of kept connections, mostly needed again soon.
    private var resting: Set<Int32> = []
    /// The TLS sessions of all transfers, for resumption; used on the event thread alone, so it needs no locks.
    private var share: UnsafeMutableRawPointer?
    private var admission: TransferQueue<String, ObjectIdentifier>
    /// Every unfinished exchange, waiting or running, with its deadline's timer.
    private var pending: [ObjectIdentifier: (exchange: ClientExchange, deadline: TimerID)] = [:]
    private var running: [ObjectIdentifier: Transfer] = [:]
    private var byHandle: [UnsafeMutableRawPointer: Transfer] = [:]

    var connections = KeptConnections()

    /// - Throws: `.library` when libcurl provides no handle or is too old.
    init(_ settings: HTTPClientSettings, trust: TrustStore, logger: Logger) throws(HTTPClientError) {
        self.settings = settings
        self.trust = trust
        self.logger = logger
        admission = TransferQueue(
            perHost: settings.connectionsPerHost, total: settings.connections, waiting: settings.waitingRequests)
        guard let multi = curl_multi_init() else { throw .library }
        self.multi = multi
        guard let share = curl_share_init(), cloakroom_curl_share_tls_sessions(share) == CURLSHE_OK else {
            throw .library
        }
        self.share = share
    }

    // MARK: Life

    /// Starts working on the loop.
    func attach(_ loop: Loop) {
        self.loop = loop
        _ = cloakroom_curl_multi_set_callbacks(
            multi, CurlCallbacks.socket, CurlCallbacks.timer, Unmanaged.passUnretained(self).toOpaque())
        _ = cloakroom_curl_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_NOTHING))
        _ = cloakroom_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, settings.connections)
        stopHandler = loop.onStop { _ in self.close() }
    }

    /// Ends every exchange and frees libcurl's resources; a second call does nothing.
    func close() {
        guard let multi else { return }
        for (id, entry) in pending {
            let wasSent = running[id]?.wasSent ?? false
            settle(entry.exchange, .failure(TransportError(.refusedLocally, wasSent: wasSent)))
        }
        curl_multi_cleanup(multi)
        self.multi = nil
        if let share { curl_share_cleanup(share) }
        share = nil
        if let timer { loop?.cancel(timer) }
        if let stopHandler { loop?.removeStopHandler(stopHandler) }
        loop = nil
    }

    // MARK: Exchanges

    /// Accepts an exchange: starts it, queues it for a connection or refuses it.
    func submit(_ exchange: ClientExchange) {
        guard let loop, multi != nil else { return exchange.finish(.failure(.notReached(.refusedLocally))) }
        guard !exchange.isCancelled else { return exchange.finish(.failure(.cancelled)) }
        let id = ObjectIdentifier(exchange)
        let decision = admission.admit(id, to: exchange.plan.origin)
        guard decision != .refuse else {
            logger.warning(
                "request refused: too many wait for a connection", metadata: exchange.plan.facts([:]))
            return exchange.finish(.failure(.notReached(.refusedLocally)))
        }
        let deadline = loop.schedule(at: exchange.deadline) { _ in self.abandon(exchange, .timeout) }
        pending[id] = (exchange, deadline)
        if decision == .start { start(exchange) }
        startWaiting()
    }

    /// Ends an exchange at once, because its task was cancelled.
    func cancel(_ exchange: ClientExchange) {
        guard pending[ObjectIdentifier(exchange)] != nil else { return }
        settle(exchange, .failure(.cancelled))
        startWaiting()
    }

    private func abandon(_ exchange: ClientExchange, _ failure: ExchangeError) {
        let wasSent = running[ObjectIdentifier(exchange)]?.wasSent ?? false
        settle(exchange, .failure(TransportError(failure, wasSent: wasSent)))
        startWaiting()
    }

    private func startWaiting() {
        while let id = admission.next() {
            if let entry = pending[id] { start(entry.exchange) }
        }
    }

    private func start(_ exchange: ClientExchange) {
        guard let easy = newHandle() else { return fail(exchange, "no libcurl handle") }
        let transfer = Transfer(exchange, easy: easy, engine: self, settings: settings)
        running[ObjectIdentifier(exchange)] = transfer
        byHandle[easy] = transfer
        begin(transfer)
    }

    /// Makes a handle for one transfer.
    ///
    /// A handle is never used twice: libcurl 7.88 keeps a pointer to the last field line of a former transfer and reads
    /// it when the first field line of a later answer begins with a blank, so that a peer could crash the process.
    private func newHandle() -> UnsafeMutableRawPointer? {
        guard let easy = curl_easy_init() else { return nil }
        var handle = CurlHandle(easy)
        handle.prepare(for: self, settings, trust: trust)
        handle.set(CURLOPT_SHARE, pointer: share)
        guard handle.isComplete else {
            curl_easy_cleanup(easy)
            return nil
        }
        return easy
    }

    private func begin(_ transfer: Transfer) {
        var handle = CurlHandle(transfer.easy)
        handle.prepare(for: transfer)
        guard handle.isComplete else { return fail(transfer.exchange, "libcurl refused an option") }
        guard curl_multi_add_handle(multi, transfer.easy) == CURLM_OK else {
            return fail(transfer.exchange, "libcurl took no transfer")
        }
    }

    private func fail(_ exchange: ClientExchange, _ reason: String) {
        logger.error("request not sent", metadata: exchange.plan.facts(["reason": "\(reason)"]))
        settle(exchange, .failure(.notReached(.refusedLocally)))
    }

    /// Ends a pending exchange: removes it from the queue or from libcurl, frees its place, resumes its task.
    ///
    /// The caller starts waiting exchanges afterwards, so that a series of failures does not recurse.
    private func settle(_ exchange: ClientExchange, _ outcome: ClientExchange.Outcome) {
        let id = ObjectIdentifier(exchange)
        guard let entry = pending.removeValue(forKey: id) else { return }
        loop?.cancel(entry.deadline)
        if !admission.withdraw(id) { admission.release(exchange.plan.origin) }
        if let transfer = running.removeValue(forKey: id) {
            release(transfer)
        }
        if case .failure(let error) = outcome { log(error, exchange.plan) }
        exchange.finish(outcome)
    }

    /// Frees a transfer's handle, whose connection libcurl keeps.
    private func release(_ transfer: Transfer) {
        guard byHandle.removeValue(forKey: transfer.easy) != nil else { return }
        curl_multi_remove_handle(multi, transfer.easy)
        curl_easy_cleanup(transfer.easy)
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

    // MARK: libcurl's progress

    /// Handles libcurl's request to change how a socket is watched.
    func socketChanged(_ socket: Int32, _ what: Int32) {
        guard let loop else { return }
        guard what != CURL_POLL_REMOVE else {
            // A kept connection's socket stays watched: removing and adding it would be two system calls per request.
            // libcurl does not report when other sockets are closed, so they are unwatched.
            if connections.holds(socket) { resting.insert(socket) } else { unwatch(socket) }
            return
        }
        resting.remove(socket)
        var interest: DescriptorReadiness = []
        if what & CURL_POLL_IN != 0 { interest.insert(.readable) }
        if what & CURL_POLL_OUT != 0 { interest.insert(.writable) }
        do {
            if watched.insert(socket).inserted {
                try loop.watch(socket, for: interest) { _, ready in self.socketReady(socket, ready) }
            } else {
                try loop.change(socket, to: interest)
            }
        } catch {
            // The transfers on this socket end at their deadlines.
            logger.error("cannot watch a socket", metadata: ["error": "\(error)"])
        }
    }

    /// Handles the closing of a connection's socket.
    func socketCloses(_ socket: Int32) {
        connections.forget(socket)
        unwatch(socket)
    }

    private func unwatch(_ socket: Int32) {
        resting.remove(socket)
        if watched.remove(socket) != nil { loop?.unwatch(socket) }
    }

    private func socketReady(_ socket: Int32, _ ready: DescriptorReadiness) {
        // The peer closed a kept connection, or sent unexpected bytes: libcurl finds out when it reuses the connection.
        if resting.contains(socket) { return unwatch(socket) }
        drive(socket, ready)
    }

    /// Handles libcurl's request to be called after some time, or not at all.
    func timerChanged(_ milliseconds: Int) {
        guard let loop else { return }
        if let timer { loop.cancel(timer) }
        timer = nil
        guard milliseconds >= 0 else { return }
        timer = loop.schedule(at: .now + .milliseconds(milliseconds)) { _ in
            self.timer = nil
            self.drive(CURL_SOCKET_TIMEOUT, [])
        }
    }

    private func drive(_ socket: Int32, _ ready: DescriptorReadiness) {
        var bits: Int32 = 0
        if ready.contains(.readable) { bits |= CURL_CSELECT_IN }
        if ready.contains(.writable) { bits |= CURL_CSELECT_OUT }
        var still: Int32 = 0
        let code = curl_multi_socket_action(multi, socket, bits, &still)
        if code != CURLM_OK { logger.error("libcurl failed", metadata: ["code": "\(code.rawValue)"]) }
        collect()
    }

    private func collect() {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
                let transfer = byHandle[easy]
            else { continue }
            finish(transfer, message.pointee.data.result)
        }
        startWaiting()
    }

    private func finish(_ transfer: Transfer, _ code: CURLcode) {
        if transfer.metStaleConnection {
            release(transfer)
            guard let easy = newHandle() else { return fail(transfer.exchange, "no libcurl handle") }
            transfer.startOver(with: easy)
            byHandle[easy] = transfer
            return begin(transfer)
        }
        let handle = CurlHandle(transfer.easy)
        if code == CURLE_OK, handle.long(CURLINFO_NUM_CONNECTS) > 0, let socket = handle.keptSocket {
            connections.note(handle.connection, socket: socket)
        }
        settle(transfer.exchange, outcome(of: transfer, code))
    }

    private func outcome(of transfer: Transfer, _ code: CURLcode) -> ClientExchange.Outcome {
        let failure: ExchangeError
        if code == CURLE_OK {
            do { return .success(try transfer.answer()) } catch { failure = error }
        } else {
            let handle = CurlHandle(transfer.easy)
            failure =
                transfer.failure
                ?? ExchangeError(
                    code, hasSystemError: handle.long(CURLINFO_OS_ERRNO) != 0,
                    verification: handle.long(CURLINFO_SSL_VERIFYRESULT))
        }
        logger.debug(
            "request without a usable answer",
            metadata: transfer.exchange.plan.facts([
                "fault": "\(failure.rawValue)", "sent": "\(transfer.wasSent)", "code": "\(code.rawValue)",
            ]))
        return .failure(TransportError(failure, wasSent: transfer.wasSent))
    }
}
