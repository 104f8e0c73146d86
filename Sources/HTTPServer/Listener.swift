internal import Basics
internal import CMicroHTTPD
package import EventLoop
public import Logs

/// Serves HTTP/1.1 on one address: checks every request head strictly, bounds everything, and calls the handler.
///
/// A connection belongs to one event thread. Its handlers begin there and go on there after each wait, so a handler that
/// blocks the thread holds up all its connections. If a handler returns without waiting, its response is queued at once;
/// otherwise the connection is suspended until the response comes.
public final class Listener: Sendable {
    private enum State {
        case idle
        case running(ListenerThreads)
        case stopping([CheckedContinuation<Void, Never>])
        case stopped
    }

    private let settings: ListenerSettings
    /// The threads that serve the connections; nil for threads of this listener alone.
    private let loops: [EventThread]?
    private let core: ListenerCore
    private let state = Locked(State.idle)
    private let boundPort = Locked<UInt16>(0)

    /// Makes a listener that is not started yet.
    ///
    /// - Parameters:
    ///   - settings: The address, the threads and the limits.
    ///   - logger: Gets the start (info), refusals (debug) and faults (warning); never header values, targets or
    ///     bodies.
    ///   - refusal: Makes the response of each refusal.
    ///   - originRefusal: Makes the refusals for pages of other origins; nil to answer all requests with `refusal`.
    ///   - immediate: Answers requests that need no waiting, before a task is started; nil to leave all requests to the
    ///     handler.
    ///   - handler: Answers the requests.
    /// - Throws: `.setting` naming a setting out of its range.
    public convenience init(
        _ settings: ListenerSettings,
        logger: Logger = .silent,
        refusal: @escaping RefusalResponder = RequestError.problem,
        originRefusal: OriginRefusalResponder? = nil,
        immediate: ImmediateHandler? = nil,
        handler: @escaping RequestHandler
    ) throws(ListenerError) {
        try self.init(
            settings, loops: nil, logger: logger, refusal: refusal, originRefusal: originRefusal, immediate: immediate,
            handler: handler)
    }

    /// Makes a listener whose connections are served on these event threads, which it does not stop.
    ///
    /// - Parameters:
    ///   - settings: The address and the limits.
    ///   - loops: The threads, several listeners may share; nil to make as many as the settings say.
    ///   - logger: As above.
    ///   - refusal: As above.
    ///   - originRefusal: As above.
    ///   - immediate: As above.
    ///   - handler: As above.
    /// - Throws: As above.
    package init(
        _ settings: ListenerSettings,
        loops: [EventThread]?,
        logger: Logger,
        refusal: @escaping RefusalResponder = RequestError.problem,
        originRefusal: OriginRefusalResponder? = nil,
        immediate: ImmediateHandler? = nil,
        handler: @escaping RequestHandler
    ) throws(ListenerError) {
        try settings.check()
        guard loops?.isEmpty != true else { throw .setting("threads") }
        self.loops = loops
        self.settings = settings
        core = ListenerCore(
            settings, logger: logger, refusal: refusal, originRefusal: originRefusal, immediate: immediate,
            handler: handler)
    }

    deinit {
        let running = state.withLock { state -> ListenerThreads? in
            if case .running(let threads) = state { threads } else { nil }
        }
        running?.stop(grace: 0) {}
    }

    /// The bound port; 0 before the start.
    public var port: UInt16 { boundPort.withLock { $0 } }

    /// The number of requests whose heads were accepted and whose responses have not been sent to the end.
    package var requestsUnderWay: Int { core.drain.requestsUnderWay }

    /// The version of libmicrohttpd, for the log.
    public static var libraryVersion: String { String(cString: MHD_get_version()) }

    /// Binds the address and begins to serve.
    ///
    /// - Throws: `.setting` when the address is not an IP address; `.bind` when the address is in use or does not
    ///   belong to this machine; `.start` when the listener was started or stopped before, or the system has no threads
    ///   left.
    public func start() throws(ListenerError) {
        try state.withLock { state throws(ListenerError) in
            guard case .idle = state else { throw .start }
            let socket = try ListeningSocket(address: settings.address, port: settings.port)
            guard let threads = ListenerThreads(core, socket, loops: loops ?? makeLoops()) else { throw .start }
            boundPort.withLock { $0 = socket.port }
            state = .running(threads)
        }
        core.logger.info(
            "listening",
            metadata: [
                "address": "\(settings.address)", "port": "\(port)", "libmicrohttpd": "\(Self.libraryVersion)",
            ])
    }

    /// The event threads of a listener that was given none; fewer when the system has no more threads.
    private func makeLoops() -> [EventThread] {
        (1...settings.threads).compactMap { try? EventThread(name: "http-\($0)", logger: core.logger) }
    }

    /// Stops the listener.
    ///
    /// It accepts no new connections, refuses new requests with 503, waits for the requests in flight and cancels the
    /// rest after the grace. Returns when every connection is closed. Handlers that ignore their cancellation are left
    /// behind after one more second, with a warning in the log.
    ///
    /// - Parameter grace: How long the requests in flight may take before they are cancelled.
    public func stop(grace: Duration) async {
        await withCheckedContinuation { continuation in
            let threads = state.withLock { state -> ListenerThreads? in
                switch state {
                case .running(let threads):
                    state = .stopping([continuation])
                    return threads
                case .stopping(let waiting):
                    state = .stopping(waiting + [continuation])
                    return nil
                case .idle, .stopped:
                    state = .stopped
                    continuation.resume()
                    return nil
                }
            }
            threads?.stop(grace: grace.clockMilliseconds) { [self] in hasStopped() }
        }
    }

    private func hasStopped() {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            defer { state = .stopped }
            if case .stopping(let waiting) = state { return waiting }
            return []
        }
        for continuation in waiting { continuation.resume() }
    }
}
