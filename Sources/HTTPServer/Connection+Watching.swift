internal import CShims

/// Ends exchanges and connections, for the time limits, the acceptor and a stop.
extension Connection {
    /// Enforces the time limits of the connection and its exchange.
    func checkTimes(_ now: UInt64) {
        update { state, effects in
            switch state.stage {
            case .closed, .dropped: return
            case .head:
                let seen = state.headSeen ?? now
                state.headSeen = seen
                guard let isHead = isOverdue(state, now - seen) else { break }
                if isHead { refuseOnSocket(.slow) } else { hangUpSocket() }
                state.stage = .dropped
            case .exchange:
                if checkTimes(&state.exchange, now, &effects) { state.stage = .dropped }
            }
            if let since = state.goneSince { settleDisconnect(&state, since, now, &effects) }
        }
    }

    /// How long the connection has had no complete head; nil while it serves a request.
    ///
    /// A head that has begun does not count: a client that never ends its head would keep its place.
    var idleAge: OldestConnections.Age? {
        update { state, _ in
            guard case .head = state.stage else { return nil }
            return .init(isReceiving: false, since: state.idleSince, number: number)
        }
    }

    /// Hangs up if the connection has no complete head; a client that has sent a request line gets the refusal `.busy`.
    ///
    /// - Returns: True if the connection was hung up.
    func dropIfIdle() -> Bool {
        update { state, _ in
            guard case .head = state.stage else { return false }
            if state.hasRequestLine { refuseOnSocket(.busy) } else { hangUpSocket() }
            state.stage = .dropped
            return true
        }
    }

    /// How long the body of a request has been in flight.
    ///
    /// Nil when no body is in flight, or when its reader holds the client back. A sweep notes the time: a body that began
    /// after the last one has none yet.
    var receivingAge: OldestConnections.Age? {
        update { state, _ in
            guard case .exchange = state.stage, state.exchange.isReceiving, let since = state.exchange.startSeen else {
                return nil
            }
            return .init(isReceiving: true, since: since, number: number)
        }
    }

    /// True if no body is in flight any more, or the listener has hung up.
    var hasWholeBody: Bool {
        update { state, _ in
            guard case .exchange = state.stage else { return true }
            return state.exchange.upload.isComplete
        }
    }

    /// Ends the request if `receivingAge` is not nil; the client gets the refusal `.busy`.
    ///
    /// - Returns: True if the request was ended.
    func dropIfReceiving() -> Bool {
        update { state, effects in
            guard case .exchange = state.stage, state.exchange.isReceiving, state.exchange.startSeen != nil else {
                return false
            }
            if drop(&state.exchange, .busy, .cancelled, &effects) { state.stage = .dropped }
            return true
        }
    }

    /// Checks the time limits of a head and of the wait for one.
    ///
    /// A kept connection may lie idle before its next head begins. The listener sees a head only at the end of its
    /// request line, so a client that has sent bytes within the idle timeout gets the time for a head in addition.
    ///
    /// - Returns: Nil when there is time left; otherwise true if the client gets a refusal, false if it gets none.
    private func isOverdue(_ state: State, _ waited: UInt64) -> Bool? {
        if state.isFresh || state.hasRequestLine { return waited > core.times.head ? true : nil }
        guard waited > core.times.idle else { return nil }
        let isSilent = UInt64(cloakroom_silence(socket)) >= core.times.idle
        return isSilent || waited > core.times.idle + core.times.head ? false : nil
    }

    /// Enforces the time limits of an exchange.
    ///
    /// - Returns: True if the socket was hung up.
    private func checkTimes(_ exchange: inout Exchange, _ now: UInt64, _ effects: inout Effects) -> Bool {
        let start = exchange.startSeen ?? now
        exchange.startSeen = start
        if exchange.pause == .room { exchange.heldBack += now - (exchange.sweptAt ?? now) }
        exchange.sweptAt = now
        switch exchange.phase {
        case .none: return false
        case .running where now > start + core.times.request:
            if exchange.waitsForAnswer {
                exchange.hangUp(.cancelled, &effects)
                exchange.answer(refusal(.deadline, to: exchange.headers))
                exchange.resume(&effects, from: .answer)
                return false
            }
            return drop(&exchange, .deadline, .cancelled, &effects)
        case .accepted, .running, .answered:
            // A client that the reader holds back is not slow, and has its time afterwards.
            guard exchange.isReceiving, now > start + core.times.body + exchange.heldBack else { return false }
            return drop(&exchange, .slow, .timedOut, &effects)
        case .queued:
            if exchange.queueSeen == nil { exchange.takenBefore = cloakroom_taken(socket) }
            let queued = exchange.queueSeen ?? now
            exchange.queueSeen = queued
            let isStuck =
                if let output = exchange.output {
                    output.pending > 0 && now > output.progress + core.times.response
                } else {
                    now > queued + core.times.response + exchange.sendAllowance
                        || isTooSlow(exchange, now - queued)
                }
            guard isStuck else { return false }
            exchange.hangUp(.disconnected, &effects)
            hangUpSocket()
            return true
        }
    }

    /// True if the client takes a response in memory more slowly than `responseRate`.
    private func isTooSlow(_ exchange: Exchange, _ waited: UInt64) -> Bool {
        let rate = UInt64(core.limits.responseRate)
        guard rate > 0, waited > core.times.responseGrace else { return false }
        let taken = cloakroom_taken(socket)
        return taken < exchange.takenBefore + rate * (waited - core.times.responseGrace) / 1000
    }

    private func drop(
        _ exchange: inout Exchange, _ refusal: RequestError, _ failure: BodyError, _ effects: inout Effects
    ) -> Bool {
        exchange.hangUp(failure, &effects)
        exchange.aborts = true
        refuseOnSocket(refusal, to: exchange.headers)
        exchange.resume(&effects, from: .room, .answer, .output)
        return true
    }

    /// Records that the client has closed its side of the connection, or both sides.
    func noticeDisconnect(_ now: UInt64) {
        update { state, effects in
            if state.goneSince == nil { state.goneSince = now }
            settleDisconnect(&state, now, now, &effects)
        }
    }

    /// Ends the connection of a client that has closed its side, unless the response may still reach the client.
    ///
    /// A client may close its side after a complete request and still read the response, as long as the connection is
    /// not suspended: libmicrohttpd drops such a connection when it resumes it. So a suspended exchange is cancelled at
    /// once. A request that is not complete ends when no byte is left to read and libmicrohttpd has had the time
    /// of two sweeps to handle it.
    private func settleDisconnect(_ state: inout State, _ since: UInt64, _ now: UInt64, _ effects: inout Effects) {
        let isSettled = now >= since + 2 * Daemon.sweepInterval && cloakroom_unread(socket) == 0
        switch state.stage {
        case .closed, .dropped: break
        case .head:
            guard isSettled else { return }
            hangUpSocket()
            state.stage = .dropped
        case .exchange where state.exchange.pause != .none:
            state.exchange.hangUp(.disconnected, &effects)
            state.exchange.aborts = true
            state.exchange.resume(&effects, from: .room, .answer, .output)
        case .exchange:
            guard isSettled, !state.exchange.upload.isComplete else { return }
            state.exchange.hangUp(.disconnected, &effects)
            hangUpSocket()
            state.stage = .dropped
        }
    }

    /// Cancels the handler after the grace of a stop; a client that waits for the response gets the refusal
    /// `.deadline`.
    func giveUp() {
        update { state, effects in
            guard case .exchange = state.stage else { return }
            state.exchange.hangUp(.cancelled, &effects)
            if state.exchange.phase == .running, state.exchange.waitsForAnswer {
                // Not `.draining`, which invites the client to retry: the handler may have acted.
                state.exchange.answer(refusal(.deadline, to: state.exchange.headers))
            } else if state.exchange.pause != .none {
                state.exchange.aborts = true
            }
            state.exchange.resume(&effects, from: .room, .answer, .output)
        }
    }

    /// Ends the connection, once `DrainMonitor.isHalted` forbids suspending it again.
    func halt() {
        update { state, effects in
            state.exchange.hangUp(.cancelled, &effects)
            state.exchange.aborts = true
            state.exchange.resume(&effects, from: .room, .answer, .output)
            guard state.stage != .closed, state.stage != .dropped else { return }
            hangUpSocket()
            state.stage = .dropped
        }
    }
}
