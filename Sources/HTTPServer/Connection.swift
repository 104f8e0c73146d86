internal import Basics
internal import CMicroHTTPD
internal import EventLoop

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// One TCP connection, from accept to close, with the exchange that is in flight on it.
///
/// Three parties use it: libmicrohttpd on the connection's event thread (all of `Connection+Serving`), the handler's
/// task and the reaper. They share `state`. Suspending the connection sets `exchange.pause` under the lock; the party
/// that sets `pause` back to `.none` has the connection resumed, under the same lock: at once on the event thread, by a
/// job of that thread elsewhere. So each suspension has exactly one resume, and `handle.raw` is used on that thread only.
///
/// Sendable invariant: `incoming` and `handle` are used on the event thread only; the rest is constant or behind the
/// lock.
final class Connection: @unchecked Sendable {
    struct State {
        enum Stage {
            /// The connection waits for a request, or its head is being received.
            case head
            /// From the end of the head to the end of the answer.
            case exchange
            /// The listener has hung up; libmicrohttpd has not noticed yet.
            case dropped
            /// The connection is closed; the socket's number may belong to another connection.
            case closed
        }

        /// The number in the registry.
        var id: UInt64 = 0
        var stage = Stage.head
        /// When the listener saw that the client has closed its side; nil before.
        var goneSince: UInt64?
        /// True until the first exchange is over: a client that is too slow with its first head gets a refusal.
        var isFresh = true
        /// When the reaper first saw the connection wait for a head, or for the rest of a head after its request line.
        ///
        /// The reaper notes the times, so that serving a request does not read a clock for them: limits are accurate to
        /// the reaper's interval.
        var headSeen: UInt64?
        /// When the last response had left, or the connection began.
        ///
        /// Read from the clock, not noted by the reaper: when a flood fills all places between two rounds of the
        /// reaper, a connection that has just been served must not count as the one that has been idle longest.
        var idleSince = MonotonicClock.now()
        /// True from the request line to the end of the exchange.
        var hasRequestLine = false
        var exchange = Exchange(id: 0)
    }

    /// libmicrohttpd's object for the connection.
    ///
    /// Sendable invariant: used on the connection's event thread only.
    struct Handle: @unchecked Sendable {
        let raw: OpaquePointer
    }

    /// Values that libmicrohttpd's thread keeps from one of its calls to the next.
    struct Incoming {
        var target: RequestTarget?
        /// A request whose handler starts when the first piece of the body, or its end, has come.
        var request: ServerRequest?
        /// The address in the connection's buffer at which the received head ends.
        var headEnd: UInt = 0
        /// How often libmicrohttpd has asked for the response of the parked exchange; 0 if none is parked.
        var polls = 0
        /// True from queueing a response to the end of the exchange.
        var isSending = false
    }

    let daemon: Daemon
    let core: ListenerCore
    let handle: Handle
    let socket: Int32
    let peer: PeerAddress
    private let state: Locked<State>
    /// A pointer, to spare the run-time check of exclusive access.
    let incoming: UnsafeMutablePointer<Incoming>
    /// True from suspending the connection until libmicrohttpd is told to resume it; used like `incoming`.
    private var isSuspended = false

    init(daemon: Daemon, raw: OpaquePointer, socket: Int32, peer: PeerAddress) {
        self.daemon = daemon
        core = daemon.core
        handle = Handle(raw: raw)
        self.socket = socket
        self.peer = peer
        state = Locked(State())
        incoming = .allocate(capacity: 1)
        incoming.initialize(to: Incoming())
    }

    deinit {
        incoming.deinitialize(count: 1)
        incoming.deallocate()
    }

    /// Changes the state under the lock, then performs the effects.
    ///
    /// The resume is done or posted before the lock is released: a stop that finds `pause` at `.none` relies on it.
    @inline(__always)
    func update<Result>(_ body: (inout State, inout Effects) -> sending Result) -> Result {
        var effects = Effects()
        let result = state.withLock { state in
            let result = body(&state, &effects)
            if effects.resumes { resume() }
            return result
        }
        perform(effects)
        return result
    }

    /// Changes the state of one exchange; nil when that exchange is over.
    @inline(__always)
    func update<Result>(
        exchange id: UInt64, _ body: (inout Exchange, inout Effects) -> sending Result
    ) -> Result? {
        update { state, effects in
            state.exchange.id == id ? body(&state.exchange, &effects) : nil
        }
    }

    @inline(__always)
    private func perform(_ effects: Effects) {
        if effects.settles { settleSoon() }
        effects.cancelled?.cancel()
        effects.reader?.resume(returning: effects.failure)
        effects.writer?.resume()
        if effects.endsCount { core.drain.leave() }
        if let (refusal, answer) = effects.noted { core.note(refusal, answer) }
    }

    /// Has libmicrohttpd resume the connection; to be called under the lock.
    ///
    /// From another thread by a job: nothing else would make libmicrohttpd look.
    private func resume() {
        if daemon.thread.isCurrent {
            resumeNow()
        } else {
            daemon.thread.post { [self] _ in resumeNow() }
        }
    }

    /// Has the daemon look after the parked connection, whose wait has ended; to be called without the lock.
    private func settleSoon() {
        if daemon.thread.isCurrent {
            daemon.settleSoon(self)
        } else {
            daemon.thread.post { [self] _ in daemon.settleSoon(self) }
        }
    }

    /// Has libmicrohttpd resume the connection if it is suspended; on the connection's event thread only.
    func resumeNow() {
        guard isSuspended else { return }
        isSuspended = false
        if incoming.pointee.isSending { daemon.sending += 1 }
        MHD_resume_connection(handle.raw)
        daemon.runSoon()
    }

    /// Suspends the connection; to be called on libmicrohttpd's thread, inside one of its calls, under the lock.
    ///
    /// - Returns: False when the listener is about to stop and no connection may be suspended any more.
    func suspend(_ exchange: inout Exchange, _ pause: Exchange.Pause) -> Bool {
        guard !core.drain.isHalted else { return false }
        unpark()
        if incoming.pointee.isSending { daemon.sending -= 1 }
        MHD_suspend_connection(handle.raw)
        isSuspended = true
        exchange.pause = pause
        return true
    }

    /// How often libmicrohttpd may ask for a response before the connection is suspended.
    private static let mostPolls = 16

    /// Lets libmicrohttpd ask for the response again in its next run; to be called like `suspend`.
    ///
    /// Suspending takes a connection out of the daemon's epoll set and back, which costs more than a few questions.
    ///
    /// - Returns: False when it has asked often enough, or the listener is about to stop.
    func park(_ exchange: inout Exchange) -> Bool {
        guard incoming.pointee.polls < Self.mostPolls, !core.drain.isHalted else { return false }
        if incoming.pointee.polls == 0 { daemon.park() }
        incoming.pointee.polls += 1
        exchange.pause = .parked
        return true
    }

    /// True if the connection is parked; on the event thread only.
    var isParked: Bool { incoming.pointee.polls > 0 }

    /// Notes that libmicrohttpd need not ask for a response any more; on the event thread only.
    func unpark() {
        guard incoming.pointee.polls > 0 else { return }
        incoming.pointee.polls = 0
        daemon.parked -= 1
    }

    /// Queues the response of a parked exchange, outside of libmicrohttpd's calls; on the event thread only.
    func settle() {
        // The connection may have ended, or libmicrohttpd may have asked, since the wait ended.
        guard incoming.pointee.polls > 0, isAnswered else { return }
        _ = finishRequest()
    }

    private var isAnswered: Bool {
        update { state, _ in state.exchange.phase == .answered && !state.exchange.aborts }
    }

    /// The response to a refused request, which is logged once the lock is released.
    ///
    /// `headers` are the fields of the request, nil where they are not known.
    func refusal(
        _ refusal: RequestError, to headers: RequestHeaders? = nil, _ effects: inout Effects
    ) -> ServerResponse {
        let answer = core.response(for: refusal, to: headers)
        effects.noted = (refusal, answer)
        return answer
    }

    /// Writes a refusal to the socket, past libmicrohttpd, and ends the connection.
    ///
    /// To be called under the lock, before libmicrohttpd has begun to answer.
    ///
    /// `headers` are the fields of the request, nil where they are not known.
    func refuseOnSocket(_ refusal: RequestError, to headers: RequestHeaders? = nil, _ effects: inout Effects) {
        RawResponse.bytes(self.refusal(refusal, to: headers, &effects)).withUnsafeBytes { bytes in
            _ = send(socket, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        }
        hangUpSocket()
    }

    /// Shuts the socket down, so that libmicrohttpd ends the connection.
    ///
    /// To be called under the lock, before libmicrohttpd closes the socket.
    func hangUpSocket() {
        shutdown(socket, Int32(SHUT_RDWR))
    }
}
