internal import CMicroHTTPD

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// One TCP connection, from accept to close, with the exchange that is in flight on it.
///
/// Not Sendable: libmicrohttpd's calls, the time limits, a stop and the parts of the handler's task that change it all run
/// on the connection's event thread. Tasks hold an `ExchangeReference`, which finds the connection there.
///
/// Suspending the connection sets `exchange.pause`; the change that sets `pause` back to `.none` has the connection
/// resumed. So each suspension has exactly one resume.
final class Connection {
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

        var stage = Stage.head
        /// When the listener saw that the client has closed its side; nil before.
        var goneSince: UInt64?
        /// True until the first exchange is over: a client that is too slow with its first head gets a refusal.
        var isFresh = true
        /// When a sweep first saw the connection wait for a head, or for the rest of a head after its request line.
        ///
        /// The sweep notes the times, so that serving a request does not read a clock for them: limits are accurate to
        /// the sweep's interval.
        var headSeen: UInt64?
        /// When the last response had left, or the connection began.
        ///
        /// Read from the clock, not noted by the sweep: when a flood fills all places between two sweeps, a connection
        /// that has just been served must not count as the one that has been idle longest.
        var idleSince = MonotonicClock.now()
        /// True from the request line to the end of the exchange.
        var hasRequestLine = false
        var exchange = Exchange(id: 0)
    }

    /// Values that are kept from one of libmicrohttpd's calls to the next.
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

    /// The list of the daemon that the connection stands in, with its place there.
    enum Waiting {
        case none
        /// It has no complete head.
        case idle(Int)
        /// It has a body in flight, or had one when its head came.
        case receiving(Int)
    }

    let daemon: Daemon
    let core: ListenerCore
    /// libmicrohttpd's object for the connection.
    let raw: OpaquePointer
    /// The number of the connection in its listener, never reused.
    let number: UInt64
    let socket: Int32
    let peer: PeerAddress
    /// A pointer, to spare the run-time check of exclusive access.
    private let state: UnsafeMutablePointer<State>
    /// A pointer like `state`; a value of its own, because it is changed while the state is.
    let incoming: UnsafeMutablePointer<Incoming>
    /// True from suspending the connection until libmicrohttpd is told to resume it.
    private var isSuspended = false
    var waiting = Waiting.none

    init(daemon: Daemon, raw: OpaquePointer, number: UInt64, socket: Int32, peer: PeerAddress) {
        self.daemon = daemon
        core = daemon.core
        self.raw = raw
        self.number = number
        self.socket = socket
        self.peer = peer
        state = .allocate(capacity: 1)
        state.initialize(to: State())
        incoming = .allocate(capacity: 1)
        incoming.initialize(to: Incoming())
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
        incoming.deinitialize(count: 1)
        incoming.deallocate()
    }

    /// Changes the state, then performs the effects, which may lead to another change.
    @inline(__always)
    @discardableResult
    func update<Result>(_ body: (inout State, inout Effects) -> Result) -> Result {
        var effects = Effects()
        let result = body(&state.pointee, &effects)
        perform(effects)
        return result
    }

    /// Changes the state of one exchange; nil when that exchange is over.
    @inline(__always)
    func update<Result>(exchange id: UInt64, _ body: (inout Exchange, inout Effects) -> Result) -> Result? {
        update { state, effects in
            state.exchange.id == id ? body(&state.exchange, &effects) : nil
        }
    }

    @inline(__always)
    private func perform(_ effects: Effects) {
        if effects.resumes { resumeNow() }
        if effects.settles { daemon.settleSoon(self) }
        effects.cancelled?.cancel()
        effects.reader?.resume(returning: effects.failure)
        effects.writer?.resume()
    }

    /// Has libmicrohttpd resume the connection if it is suspended.
    func resumeNow() {
        guard isSuspended else { return }
        isSuspended = false
        if incoming.pointee.isSending { daemon.sending += 1 }
        MHD_resume_connection(raw)
        daemon.runSoon()
    }

    /// Suspends the connection; to be called inside one of libmicrohttpd's calls.
    ///
    /// - Returns: False when the listener is about to stop and no connection may be suspended any more.
    func suspend(_ exchange: inout Exchange, _ pause: Exchange.Pause) -> Bool {
        guard !core.drain.isHalted else { return false }
        unpark()
        if incoming.pointee.isSending { daemon.sending -= 1 }
        MHD_suspend_connection(raw)
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

    /// True if the connection is parked.
    var isParked: Bool { incoming.pointee.polls > 0 }

    /// Notes that libmicrohttpd need not ask for a response any more.
    func unpark() {
        guard incoming.pointee.polls > 0 else { return }
        incoming.pointee.polls = 0
        daemon.parked -= 1
    }

    /// Queues the response of a parked exchange, outside of libmicrohttpd's calls.
    func settle() {
        // The connection may have ended, or libmicrohttpd may have asked, since the wait ended.
        guard incoming.pointee.polls > 0, isAnswered else { return }
        _ = finishRequest()
    }

    private var isAnswered: Bool {
        update { state, _ in state.exchange.phase == .answered && !state.exchange.aborts }
    }

    /// The response to a refused request, which is logged.
    ///
    /// `headers` are the fields of the request, nil where they are not known.
    func refusal(_ refusal: RequestError, to headers: RequestHeaders? = nil) -> ServerResponse {
        let answer = core.response(for: refusal, to: headers)
        core.note(refusal, answer)
        return answer
    }

    /// Writes a refusal to the socket, past libmicrohttpd, and ends the connection.
    ///
    /// To be called before libmicrohttpd has begun to answer.
    ///
    /// `headers` are the fields of the request, nil where they are not known.
    func refuseOnSocket(_ refusal: RequestError, to headers: RequestHeaders? = nil) {
        RawResponse.bytes(self.refusal(refusal, to: headers)).withUnsafeBytes { bytes in
            _ = send(socket, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        }
        hangUpSocket()
    }

    /// Shuts the socket down, so that libmicrohttpd ends the connection; to be called before it closes the socket.
    func hangUpSocket() {
        shutdown(socket, Int32(SHUT_RDWR))
    }
}
