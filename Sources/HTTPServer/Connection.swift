internal import Basics
internal import CMicroHTTPD

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// One TCP connection, from accept to close, with the exchange that is under way on it.
///
/// Three parties meet here: libmicrohttpd's thread (all of `Connection+Serving`), the handler's task and the reaper. What
/// they share is `state`. The connection is suspended under the lock, which sets `exchange.pause`, and whoever sets `pause`
/// back to `.none` resumes it, once, under the same lock. So each suspension has exactly one resume,
/// and `raw` is never touched by another thread unless libmicrohttpd keeps it alive for that resume.
///
/// Sendable invariant: `incoming` is touched on libmicrohttpd's thread only; the rest is constant or behind the lock.
final class Connection: @unchecked Sendable {
    struct State {
        enum Stage {
            /// Waiting for a request, or reading the head of one.
            case head
            /// From the end of the head to the end of the answer.
            case exchange
            /// Hung up by us; libmicrohttpd has yet to notice.
            case dropped
            /// Gone; the socket's number may belong to somebody else.
            case closed
        }

        /// The number in the registry.
        var id: UInt64 = 0
        var stage = Stage.head
        /// When the client was seen to close its side.
        var goneSince: UInt64?
        /// Whether this is the first request, whose sender may be told that it was too slow.
        var isFresh = true
        /// When the reaper first saw the connection wait for a head, or for the rest of it after its request line.
        ///
        /// The reaper keeps the time for everything, so that serving a request does not have to look at a clock: limits are
        /// kept to its interval.
        var headSeen: UInt64?
        /// When the last answer had left, or the connection began.
        ///
        /// Not what the reaper has seen: when a flood fills all places between two of its rounds, a connection that has just
        /// been served must not be taken for the oldest.
        var idleSince = MonotonicClock.now()
        /// Between the request line and the end of the head.
        var hasRequestLine = false
        var exchange = Exchange(id: 0)
    }

    /// libmicrohttpd's own object.
    ///
    /// Sendable invariant: used by other threads than its own only to resume, as said above.
    struct Handle: @unchecked Sendable {
        let raw: OpaquePointer
    }

    /// What the library's thread keeps from one of its calls to the next.
    struct Incoming {
        var target: RequestTarget?
        /// A request whose handler starts with the first piece of its body.
        var request: ServerRequest?
        /// Where the head that has come ends in the connection's buffer.
        var headEnd: UInt = 0
    }

    let core: ListenerCore
    let handle: Handle
    let socket: Int32
    let peer: PeerAddress
    private let state: Locked<State>
    /// Behind a pointer to spare the run-time check of exclusive access.
    let incoming: UnsafeMutablePointer<Incoming>

    init(core: ListenerCore, raw: OpaquePointer, socket: Int32, peer: PeerAddress) {
        self.core = core
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

    /// Changes the state under the lock, then does what follows from it.
    ///
    /// The resume is done before the lock is released: a stop that then finds `pause` empty may rely on it.
    @inline(__always)
    func update<Result>(_ body: (inout State, inout Effects) -> sending Result) -> Result {
        var effects = Effects()
        let result = state.withLock { state in
            let result = body(&state, &effects)
            if effects.resumes { MHD_resume_connection(handle.raw) }
            return result
        }
        perform(effects)
        return result
    }

    /// Changes the state of one exchange; nil when it is over.
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
        effects.cancelled?.cancel()
        effects.reader?.resume(returning: effects.failure)
        effects.writer?.resume()
        if effects.endsCount { core.drain.leave() }
        if let (refusal, answer) = effects.noted { core.note(refusal, answer) }
    }

    /// Suspends the connection; only on libmicrohttpd's thread, inside one of its calls, under the lock.
    ///
    /// - Returns: False when the listener is about to stop and nothing may be suspended any more.
    func suspend(_ exchange: inout Exchange, _ pause: Exchange.Pause) -> Bool {
        guard !core.drain.isHalted else { return false }
        MHD_suspend_connection(handle.raw)
        exchange.pause = pause
        return true
    }

    /// The answer to a refused request, which goes to the log once the lock is released.
    ///
    /// `headers` are the fields of the request, nil where they are not known.
    func refusal(
        _ refusal: RequestError, to headers: RequestHeaders? = nil, _ effects: inout Effects
    ) -> ServerResponse {
        let answer = core.response(for: refusal, to: headers)
        effects.noted = (refusal, answer)
        return answer
    }

    /// Sends an answer past libmicrohttpd and ends the connection; under the lock, before it has begun to answer.
    ///
    /// `headers` are the fields of the request, nil where they are not known.
    func refuseOnSocket(_ refusal: RequestError, to headers: RequestHeaders? = nil, _ effects: inout Effects) {
        RawResponse.bytes(self.refusal(refusal, to: headers, &effects)).withUnsafeBytes { bytes in
            _ = send(socket, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        }
        hangUpSocket()
    }

    /// Ends the connection so that libmicrohttpd notices; under the lock, while the socket is ours.
    func hangUpSocket() {
        shutdown(socket, Int32(SHUT_RDWR))
    }
}
