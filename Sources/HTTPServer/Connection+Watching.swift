internal import CShims

/// What the reaper and the stop do.
extension Connection {
    /// Ends what has taken too long.
    func reap(_ now: UInt64) {
        update { state, effects in
            switch state.stage {
            case .closed, .dropped: return
            case .head:
                let seen = state.headSeen ?? now
                state.headSeen = seen
                guard let isHead = isOverdue(state, now - seen) else { break }
                if isHead { refuseOnSocket(.slow, &effects) } else { hangUpSocket() }
                state.stage = .dropped
            case .exchange:
                if reap(&state.exchange, now, &effects) { state.stage = .dropped }
            }
            if let since = state.goneSince { settleDisconnect(&state, since, now, &effects) }
        }
    }

    /// How long the connection has been without a request, to compare with others; nil while it serves one.
    ///
    /// A head that has begun is no request: a client that never ends its head would hold its place against everybody. The
    /// number decides between connections of the same millisecond.
    var idleSince: (UInt64, UInt64)? {
        update { state, _ in
            guard case .head = state.stage else { return nil }
            return (state.idleSince, state.id)
        }
    }

    /// Hangs up if no request is complete; a client that has begun one is told that the server is busy.
    ///
    /// - Returns: True if it hung up.
    func dropIfIdle() -> Bool {
        update { state, effects in
            guard case .head = state.stage else { return false }
            if state.hasRequestLine { refuseOnSocket(.busy, &effects) } else { hangUpSocket() }
            state.stage = .dropped
            return true
        }
    }

    /// Since when the body of a request has been on its way, to compare with others; nil where none is, or its reader makes
    /// the client wait.
    ///
    /// As the reaper saw it: a body that has just begun is not compared.
    var receivingSince: (UInt64, UInt64)? {
        update { state, _ in
            guard case .exchange = state.stage, state.exchange.isReceiving, let since = state.exchange.startSeen else {
                return nil
            }
            return (since, state.id)
        }
    }

    /// Ends the request if its body is not complete; the client is told that the server is busy.
    ///
    /// - Returns: True if it ended the request.
    func dropIfReceiving() -> Bool {
        update { state, effects in
            guard case .exchange = state.stage, state.exchange.isReceiving, state.exchange.startSeen != nil else {
                return false
            }
            if drop(&state.exchange, .busy, .cancelled, &effects) { state.stage = .dropped }
            return true
        }
    }

    /// Whether a head, or the wait for one, has lasted too long.
    ///
    /// A kept connection may lie idle before its next head begins. That is seen at the end of the request line only, so a
    /// client that has sent something lately gets the time for a head on top.
    ///
    /// - Returns: Nil when there is time left; otherwise whether the client is owed an answer.
    private func isOverdue(_ state: State, _ waited: UInt64) -> Bool? {
        if state.isFresh || state.hasRequestLine { return waited > core.times.head ? true : nil }
        guard waited > core.times.idle else { return nil }
        let isSilent = UInt64(cloakroom_silence(socket)) >= core.times.idle
        return isSilent || waited > core.times.idle + core.times.head ? false : nil
    }

    /// - Returns: Whether the socket was hung up.
    private func reap(_ exchange: inout Exchange, _ now: UInt64, _ effects: inout Effects) -> Bool {
        let start = exchange.startSeen ?? now
        exchange.startSeen = start
        switch exchange.phase {
        case .none: return false
        case .running where now > start + core.times.request:
            if exchange.pause == .answer {
                exchange.hangUp(.cancelled, &effects)
                exchange.answer(refusal(.deadline, to: exchange.headers, &effects))
                exchange.resume(&effects, from: .answer)
                return false
            }
            return drop(&exchange, .deadline, .cancelled, &effects)
        case .accepted, .running, .answered:
            // While the reader makes the client wait, the client is not slow.
            guard exchange.isReceiving, now > start + core.times.body else { return false }
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

    /// Whether the client takes a response in memory more slowly than it has to.
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
        refuseOnSocket(refusal, to: exchange.headers, &effects)
        exchange.resume(&effects, from: .room, .answer, .output)
        return true
    }

    /// The client has closed its side, or both.
    func noticeDisconnect(_ now: UInt64) {
        update { state, effects in
            if state.goneSince == nil { state.goneSince = now }
            settleDisconnect(&state, now, now, &effects)
        }
    }

    /// Ends what cannot end well without the client.
    ///
    /// A client may close its side after a complete request and still read the answer, as long as the handler does not wait;
    /// libmicrohttpd itself drops it when it resumes such a connection. So a waiting handler is cancelled at once, and a
    /// request that is not complete ends when nothing is left to read, with some time for libmicrohttpd to look at it.
    private func settleDisconnect(_ state: inout State, _ since: UInt64, _ now: UInt64, _ effects: inout Effects) {
        let isSettled = now >= since + 2 * Reaper.interval && cloakroom_unread(socket) == 0
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

    /// The grace of a stop is over: the handler is cancelled, and who waits for its answer gets a refusal.
    func giveUp() {
        update { state, effects in
            guard case .exchange = state.stage else { return }
            state.exchange.hangUp(.cancelled, &effects)
            if state.exchange.phase == .running, state.exchange.pause == .answer {
                // Not `.draining`, which invites to repeat what may have been done.
                state.exchange.answer(refusal(.deadline, to: state.exchange.headers, &effects))
            } else if state.exchange.pause != .none {
                state.exchange.aborts = true
            }
            state.exchange.resume(&effects, from: .room, .answer, .output)
        }
    }

    /// Nothing may be suspended any more, and the connection ends.
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
