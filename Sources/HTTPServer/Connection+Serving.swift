internal import CMicroHTTPD
internal import HTTPTypes

/// What libmicrohttpd calls, on its own thread.
extension Connection {
    /// The request line has come.
    func noteTarget(_ bytes: UnsafeBufferPointer<UInt8>) {
        let target = Target(bytes, limit: core.limits.target)
        let deadline = MonotonicClock.now() + core.times.head
        update { state, _ in
            state.target = target
            state.headDeadline = deadline
            if target.mustEndNow, case .head = state.stage {
                refuseOnSocket(.targetTooLong)
                state.stage = .dropped
            }
        }
    }

    /// The head has come: the first call for a request, which must not answer unless it refuses.
    func begin(method: UnsafePointer<CChar>, version: UnsafePointer<CChar>) -> MHD_Result {
        let target = update { state, _ in state.target }
        guard let target else { return .NO }
        do throws(Refusal) {
            if let fault = target.fault { throw fault }
            let head = try RequestHeadParser.parse(
                handle.raw, method: method, version: version, target: target, limits: core.limits,
                memory: core.connectionMemory)
            guard target.text != "*" || head.method == .options else { throw .target }
            return try accept(head, target.text)
        } catch {
            return refuse(error)
        }
    }

    private func accept(_ head: RequestHead, _ target: String) throws(Refusal) -> MHD_Result {
        // Counted first, then checked: a stop that begins meanwhile either sees this request or is seen by it.
        core.drain.enter()
        let isDraining = core.drain.isDraining
        let now = MonotonicClock.now()
        let deadline = ContinuousClock.now + core.limits.requestTime
        let isAlive = update { state, effects in
            guard case .head = state.stage else {
                effects.endsCount = true
                return false
            }
            state.stage = .exchange
            state.target = nil
            state.exchange.isCounted = true
            guard !isDraining else { return true }
            let reader = RequestReader(connection: self, exchange: state.exchange.id)
            let request = ServerRequest(
                method: head.method, target: target, headers: head.headers, peer: peer, deadline: deadline,
                body: head.contentLength == 0 ? .empty : RequestBody(reader, contentLength: head.contentLength))
            state.exchange.phase = .accepted(request)
            state.exchange.isHead = head.isHead
            state.exchange.upload.contentLength = head.contentLength
            state.exchange.deadline = now + core.times.request
            state.exchange.bodyDeadline = now + core.times.body
            return true
        }
        guard isAlive else { return .NO }
        if isDraining { throw .draining }
        return .YES
    }

    private func refuse(_ refusal: Refusal) -> MHD_Result {
        let now = MonotonicClock.now()
        let isAlive = update { state, _ in
            switch state.stage {
            case .dropped, .closed: return false
            case .head, .exchange: break
            }
            state.stage = .exchange
            state.exchange.phase = .queued
            state.exchange.sendDeadline = now + core.times.response
            return true
        }
        guard isAlive else { return .NO }
        core.note(refusal)
        return queue(core.response(for: refusal), source: nil, closes: true)
    }

    private enum Turn {
        case fail
        case wait
        case start(ServerRequest)
        case send(ServerResponse, ResponseSource?, closes: Bool)
    }

    /// A piece of the body has come.
    ///
    /// - Returns: How much of it was not taken; nil ends the connection.
    func receive(_ data: UnsafeRawBufferPointer) -> Int? {
        var left = 0
        let turn = update { state, effects in receive(data, &state.exchange, &left, &effects) }
        switch turn {
        case .fail: return nil
        case .start(let request): start(request)
        case .wait, .send: break
        }
        return left
    }

    private func receive(
        _ data: UnsafeRawBufferPointer, _ exchange: inout Exchange, _ left: inout Int, _ effects: inout Effects
    ) -> Turn {
        guard !exchange.aborts else { return .fail }
        let isUnread = exchange.upload.isDiscarded || exchange.upload.fault != nil
        if !isUnread, exchange.upload.buffer.count >= Upload.room {
            left = data.count
            return suspend(&exchange, .room) ? .wait : .fail
        }
        exchange.upload.received += data.count
        if exchange.upload.received > core.limits.body {
            // Only a chunked body gets here. Its rest is thrown away for a while, so that the refusal can be read.
            if exchange.upload.fault == nil { exchange.upload.fault = .tooLarge }
            exchange.upload.buffer = []
            exchange.closes = true
            exchange.wakeReader(&effects)
            if exchange.upload.received > core.limits.body * 2 + Upload.room {
                refuseOnSocket(.bodyTooLarge)
                exchange.hangUp(.tooLarge, &effects)
                return .fail
            }
        } else if !isUnread {
            exchange.upload.buffer.append(contentsOf: data)
            exchange.wakeReader(&effects)
        }
        if exchange.upload.received == exchange.upload.contentLength { exchange.upload.isComplete = true }
        return begin(&exchange)
    }

    /// The request is complete: called once, and again after each resume until there is an answer.
    func finishRequest() -> MHD_Result {
        let turn = update { state, effects in
            state.exchange.upload.isComplete = true
            state.exchange.wakeReader(&effects)
            return begin(&state.exchange)
        }
        if case .start(let request) = turn { start(request) }
        let next = update { state, effects in answer(&state.exchange, &effects) }
        switch next {
        case .wait: return .YES
        case .send(let response, let source, let closes): return queue(response, source: source, closes: closes)
        case .fail, .start: return .NO
        }
    }

    private func begin(_ exchange: inout Exchange) -> Turn {
        guard case .accepted(let request) = exchange.phase else { return .wait }
        exchange.phase = .running
        exchange.taskRuns = true
        return .start(request)
    }

    private func answer(_ exchange: inout Exchange, _ effects: inout Effects) -> Turn {
        guard !exchange.aborts else { return .fail }
        if case .running = exchange.phase, exchange.upload.fault == .tooLarge {
            core.note(.bodyTooLarge)
            exchange.hangUp(.tooLarge, &effects)
            exchange.phase = .answered(core.response(for: .bodyTooLarge))
        }
        switch exchange.phase {
        case .running: return suspend(&exchange, .answer) ? .wait : .fail
        case .answered(let response):
            exchange.phase = .queued
            exchange.sendDeadline = MonotonicClock.now() + core.times.response + response.body.sendAllowance
            let source = exchange.output == nil ? nil : ResponseSource(self, exchange: exchange.id)
            return .send(response, source, closes: exchange.closes || core.drain.isDraining)
        case .none, .accepted, .queued: return .fail
        }
    }

    /// Runs the handler at once on this thread; it leaves the thread when it first has to wait.
    private func start(_ request: ServerRequest) {
        let id = update { state, _ in state.exchange.id }
        core.drain.taskBegan()
        let task = Task.immediateDetached { [self] in
            await deliver(core.handler(request), to: id)
            core.drain.taskEnded()
        }
        _ = update(exchange: id) { exchange, _ in
            if exchange.taskRuns { exchange.task = task }
        }
    }

    private func queue(_ response: ServerResponse, source: ResponseSource?, closes: Bool) -> MHD_Result {
        var status = response.status
        var made = ResponseBuilder.make(response, source: source, closes: closes)
        if made == nil {
            core.note(.badResponse)
            abandonOutput()
            let substitute = core.response(for: .badResponse)
            status = substitute.status
            made = ResponseBuilder.make(substitute, source: nil, closes: true)
        }
        guard let made else { return .NO }
        defer { MHD_destroy_response(made) }
        return MHD_queue_response(handle.raw, UInt32(status), made)
    }

    private func abandonOutput() {
        update { state, effects in state.exchange.hangUp(.cancelled, &effects) }
    }

    /// The answer has been sent, or the connection ends.
    func complete(cleanly: Bool) {
        let now = MonotonicClock.now()
        update { state, effects in
            if cleanly {
                // The task may still have work of its own to do: it is not cancelled, but it cannot write any more.
                state.exchange.output?.hasFailed = true
                state.exchange.wakeWriter(&effects)
                state.exchange.wakeReader(&effects)
            } else {
                state.exchange.hangUp(.disconnected, &effects)
            }
            effects.endsCount = state.exchange.isCounted
            state.exchange = Exchange(id: state.exchange.id + 1)
            state.target = nil
            state.isFresh = false
            state.headDeadline = now + core.times.idle + core.times.head
            if case .exchange = state.stage { state.stage = .head }
        }
    }

    /// The registry knows it now.
    func open(as id: UInt64) {
        update { state, _ in state.id = id }
    }

    /// The socket is about to be closed.
    ///
    /// - Returns: Its number in the registry.
    func close() -> UInt64 {
        update { state, _ in
            state.stage = .closed
            return state.id
        }
    }
}

extension ResponseBody {
    /// Milliseconds that a client gets beyond the response time: one for each 8 bytes, that is 8 KB a second.
    var sendAllowance: UInt64 {
        if case .bytes(let bytes) = self { UInt64(bytes.count / 8) } else { 0 }
    }
}
