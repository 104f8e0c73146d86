internal import CMicroHTTPD

/// Receives the body of a request and its end; called by libmicrohttpd.
extension Connection {
    private enum Turn {
        case fail
        case wait
        case start(UInt64)
        case send(ServerResponse, ResponseSource?, closes: Bool)
    }

    /// Takes a piece of the body.
    ///
    /// - Returns: The number of bytes not taken, which libmicrohttpd offers again; nil ends the connection.
    func receive(_ data: UnsafeRawBufferPointer) -> Int? {
        var left = 0
        let turn = update { state, effects in
            let turn = receive(data, &state.exchange, &left, &effects)
            if case .fail = turn { return turn }
            return begin(&state.exchange)
        }
        switch turn {
        case .fail: return nil
        case .start(let id): startWithBody(id)
        case .wait, .send: break
        }
        return left
    }

    private func receive(
        _ data: UnsafeRawBufferPointer, _ exchange: inout Exchange, _ left: inout Int, _ effects: inout Effects
    ) -> Turn {
        guard !exchange.aborts else { return .fail }
        let isUnread = exchange.upload.isDiscarded || exchange.upload.failure != nil
        if !isUnread, exchange.upload.buffer.count >= Upload.room {
            left = data.count
            return suspend(&exchange, .room) ? .wait : .fail
        }
        exchange.upload.received += data.count
        if exchange.upload.received > core.limits.body {
            // Only a chunked body gets here: a declared length was checked with the head. The rest is discarded up to
            // twice the limit and 64 KiB, so that the client can read the refusal.
            if exchange.upload.failure == nil { exchange.upload.failure = .tooLarge }
            exchange.upload.buffer = []
            exchange.closes = true
            exchange.wakeReader(&effects)
            guard exchange.upload.received <= core.limits.body * 2 + Upload.room else {
                refuseOnSocket(.bodyTooLarge, to: exchange.headers)
                exchange.hangUp(.tooLarge, &effects)
                return .fail
            }
        } else if !isUnread {
            exchange.upload.buffer.append(contentsOf: data)
            exchange.wakeReader(&effects)
        }
        if exchange.upload.received == exchange.upload.contentLength { exchange.upload.isComplete = true }
        return .wait
    }

    /// Queues the response to a complete request, or suspends the connection until there is one.
    ///
    /// libmicrohttpd calls this once, again in each run while the connection is parked, and after each resume, until a
    /// response is queued.
    func finishRequest() -> MHD_Result {
        var turn = update { state, effects in advance(&state.exchange, &effects) }
        if case .start(let id) = turn {
            startWithBody(id)
            turn = update { state, effects in advance(&state.exchange, &effects) }
        }
        switch turn {
        case .wait: return .YES
        case .send(let response, let source, let closes): return queue(response, source: source, closes: closes)
        case .fail, .start: return .NO
        }
    }

    private func advance(_ exchange: inout Exchange, _ effects: inout Effects) -> Turn {
        if !exchange.upload.isComplete || exchange.upload.waiter != nil {
            exchange.upload.isComplete = true
            exchange.wakeReader(&effects)
        }
        guard !exchange.aborts else { return .fail }
        // libmicrohttpd asked before the job that the end of the wait has posted.
        if exchange.pause == .none { unpark() }
        if exchange.phase == .running, exchange.upload.failure == .tooLarge {
            exchange.hangUp(.tooLarge, &effects)
            exchange.answer(refusal(.bodyTooLarge, to: exchange.headers))
        }
        switch exchange.phase {
        case .none, .queued: return .fail
        case .accepted: return begin(&exchange)
        case .running: return park(&exchange) || suspend(&exchange, .answer) ? .wait : .fail
        case .answered:
            guard let response = exchange.response.take() else { return .fail }
            exchange.phase = .queued
            exchange.sendAllowance = response.body.sendAllowance
            let source = exchange.output == nil ? nil : ResponseSource(self, exchange: exchange.id)
            return .send(response, source, closes: exchange.closes || core.drain.isDraining)
        }
    }

    private func begin(_ exchange: inout Exchange) -> Turn {
        guard exchange.phase == .accepted else { return .wait }
        exchange.phase = .running
        exchange.taskRuns = true
        return .start(exchange.id)
    }

    private func startWithBody(_ id: UInt64) {
        guard let request = incoming.pointee.request.take() else { return }
        start(request, id)
    }
}

extension ResponseBody {
    /// Milliseconds that a client gets beyond the response time: one for each 8 bytes, which allows 8 KB a second.
    var sendAllowance: UInt64 {
        if case .bytes(let bytes) = self { UInt64(bytes.count / 8) } else { 0 }
    }
}
