internal import Basics
internal import CMicroHTTPD
internal import EventLoop
internal import HTTPCore

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// Receives the head of a request and starts its handler; called by libmicrohttpd.
extension Connection {
    /// Stores the target of a request line, and ends the connection if its refusal cannot wait for the head.
    func noteTarget(_ bytes: UnsafeBufferPointer<UInt8>) {
        let target = RequestTarget(bytes, limit: core.limits.target)
        incoming.pointee.target = target
        update { state, _ in
            state.hasRequestLine = true
            state.headSeen = nil
            if target.mustEndNow, state.stage == .head {
                refuseOnSocket(.targetTooLong)
                state.stage = .dropped
            }
        }
    }

    /// Checks a complete head, then accepts or refuses the request.
    ///
    /// This is libmicrohttpd's first call for a request: it may queue a refusal, but no other response.
    func begin(method: UnsafePointer<CChar>, version: UnsafePointer<CChar>) -> MHD_Result {
        guard let target = incoming.pointee.target else { return .NO }
        incoming.pointee.target = nil
        incoming.pointee.headEnd = UInt(bitPattern: method) + UInt(cloakroom_mhd_head_size(raw))
        do throws(RequestError) {
            if let failure = target.failure { throw failure }
            let head = try RequestHeadParser.parse(
                raw, method: method, version: version, target: target, limits: core.limits,
                memory: core.connectionMemory)
            guard !target.text.isSameText(as: "*") || head.method == .options else { throw .target }
            return try accept(head, target.text)
        } catch {
            return refuse(error)
        }
    }

    private func accept(_ head: RequestHead, _ target: String) throws(RequestError) -> MHD_Result {
        // The request is counted before the drain is checked: a stop that begins in between either finds the request
        // counted or is found by the check.
        core.drain.enter()
        let isDraining = core.drain.isDraining
        let hasBody = head.contentLength != 0
        let id = update { state, _ -> UInt64? in
            guard state.stage == .head else { return nil }
            state.stage = .exchange
            state.exchange.isCounted = true
            guard !isDraining else { return state.exchange.id }
            if core.refusesByOrigin { state.exchange.headers = head.headers }
            state.exchange.isHead = head.isHead
            state.exchange.upload.contentLength = head.contentLength
            state.exchange.upload.isComplete = !hasBody
            if hasBody {
                state.exchange.phase = .accepted
            } else {
                state.exchange.phase = .running
                state.exchange.taskRuns = true
            }
            return state.exchange.id
        }
        guard let id else {
            core.drain.leave()
            return .NO
        }
        daemon.endsWaiting(self)
        if isDraining { throw .draining }
        if hasBody { daemon.beginsReceiving(self) }
        let body =
            hasBody
            ? RequestBody(RequestReader(exchange: .init(self, id)), contentLength: head.contentLength) : .empty
        let now = ContinuousClock.now
        let request = ServerRequest(
            method: head.method, target: target, headers: head.headers, peer: peer,
            began: now, deadline: now + core.limits.requestTime, body: body)
        if hasBody {
            incoming.pointee.request = request
        } else if !answerAtOnce(request, id) {
            start(request, id)
        }
        return .YES
    }

    /// Asks the immediate handler for a response, which needs no task.
    ///
    /// - Returns: True if the immediate handler answered.
    private func answerAtOnce(_ request: ServerRequest, _ id: UInt64) -> Bool {
        guard let response = core.immediate?(request) else { return false }
        if case .stream = response.body { return false }
        _ = update(exchange: id) { exchange, effects in exchange.take(response, &effects) }
        return true
    }

    private func refuse(_ refusal: RequestError) -> MHD_Result {
        let isAlive = update { state, _ in
            guard state.stage == .head || state.stage == .exchange else { return false }
            state.stage = .exchange
            state.exchange.phase = .queued
            return true
        }
        guard isAlive else { return .NO }
        daemon.endsWaiting(self)
        let answer = core.response(for: refusal, to: receivedOrigin())
        core.note(refusal, answer)
        return queue(answer, source: nil, closes: true)
    }

    /// The `Origin` fields of the received head; nil when there is none, or when refusals do not depend on the origin.
    ///
    /// They are read by libmicrohttpd, also from a head that is refused: the origin decides only which page may read
    /// the refusal. A value counts only if it ends where its line ends, because libmicrohttpd ends values at a NUL.
    private func receivedOrigin() -> RequestHeaders? {
        guard core.refusesByOrigin else { return nil }
        var search = OriginSearch()
        _ = withUnsafeMutablePointer(to: &search) { search in
            MHD_get_connection_values_n(raw, .HEADER_KIND, visitOrigin, search)
        }
        return search.result(headEnd: incoming.pointee.headEnd)
    }

    /// Starts the handler at once on this thread, where it also goes on after each wait.
    func start(_ request: ServerRequest, _ id: UInt64) {
        core.drain.taskBegan()
        let exchange = ExchangeReference(self, id)
        let task = Task.immediateDetached(executorPreference: daemon.thread.executor) { [core] in
            await exchange.deliver(core.handler(request))
            core.drain.taskEnded()
        }
        update { state, _ in
            if state.exchange.id == id, state.exchange.taskRuns { state.exchange.task = task }
        }
    }

    /// Queues a response in libmicrohttpd; the refusal `.badResponse` replaces a response that cannot be sent.
    func queue(_ response: ServerResponse, source: ResponseSource?, closes: Bool) -> MHD_Result {
        var status = response.status
        var made = ResponseBuilder.make(response, source: source, closes: closes)
        if made == nil {
            update { state, effects in state.exchange.hangUp(.cancelled, &effects) }
            let substitute = core.response(for: .badResponse, to: receivedOrigin())
            core.note(.badResponse, substitute)
            status = substitute.status
            made = ResponseBuilder.make(substitute, source: nil, closes: true)
        }
        guard let made else { return .NO }
        defer { MHD_destroy_response(made) }
        let result = MHD_queue_response(raw, UInt32(status), made)
        if result == .YES, !incoming.pointee.isSending {
            incoming.pointee.isSending = true
            daemon.sending += 1
        }
        return result
    }

    /// Ends the exchange, because its response was sent or the connection ends.
    func complete(cleanly: Bool) {
        unpark()
        if incoming.pointee.isSending { daemon.sending -= 1 }
        incoming.pointee = Incoming()
        let (over, isIdle) = update { state, effects in
            if cleanly {
                // The task may still have work to do: it is not cancelled, but it can no longer write.
                state.exchange.output?.hasFailed = true
                state.exchange.wakeWriter(&effects)
                state.exchange.wakeReader(&effects)
            } else {
                state.exchange.hangUp(.disconnected, &effects)
            }
            let over = state.exchange
            state.exchange = Exchange(id: over.id + 1)
            state.hasRequestLine = false
            state.isFresh = false
            state.headSeen = nil
            state.idleSince = MonotonicClock.now()
            if state.stage == .exchange { state.stage = .head }
            return (over, state.stage == .head)
        }
        daemon.endsWaiting(self)
        if isIdle {
            // The head of a long answer may be from before the stop, and say that the connection stays.
            // rule: a connection does not outlive its answer in a server that stops
            if core.drain.isDraining { hangUpSocket() } else { daemon.beginsIdle(self) }
        }
        if over.isCounted { core.drain.leave() }
    }

    /// Marks the connection as closed, just before libmicrohttpd closes the socket.
    func close() {
        update { state, _ in state.stage = .closed }
    }
}

/// Collects the `Origin` fields of a head, which may have been refused.
private struct OriginSearch {
    private var found = RequestHeaders()
    /// The address at which the next field must begin if the line of the last `Origin` ended with its value.
    private var expected: UInt?
    private var isBroken = false

    mutating func visit(_ key: UnsafePointer<CChar>, _ keyLength: Int, _ value: UnsafeRawBufferPointer) {
        if let expected, UInt(bitPattern: key) != expected { isBroken = true }
        expected = nil
        guard keyLength == 6, strncasecmp(key, "origin", 6) == 0 else { return }
        found.append(name: "origin".utf8, value: value)
        expected = UInt(bitPattern: value.baseAddress) + UInt(value.count) + 2
    }

    /// The `Origin` fields that were found.
    ///
    /// - Parameter headEnd: The address at which the head ends, two bytes after its last field.
    /// - Returns: The fields; nil when there is none, or when the line of an `Origin` goes on after its value.
    func result(headEnd: UInt) -> RequestHeaders? {
        guard found.count > 0, !isBroken, expected.map({ $0 + 2 == headEnd }) ?? true else { return nil }
        return found
    }
}

private let visitOrigin: MHD_KeyValueIteratorN = { context, _, key, keyLength, value, valueLength in
    guard let context, let key, let value else { return .YES }
    let text = UnsafeRawBufferPointer(start: value, count: valueLength)
    context.assumingMemoryBound(to: OriginSearch.self).pointee.visit(key, keyLength, text)
    return .YES
}
