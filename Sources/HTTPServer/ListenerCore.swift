internal import Basics
internal import Logs

/// What the threads, connections and handlers of one listener share; immutable but for the counters and the refusals.
final class ListenerCore: Sendable {
    /// The limits on time in milliseconds.
    struct Times {
        let head: UInt64
        let body: UInt64
        let request: UInt64
        let response: UInt64
        let responseGrace: UInt64
        let idle: UInt64
    }

    let limits: ListenerSettings.Limits
    let times: Times
    let handler: RequestHandler
    let immediate: ImmediateHandler?
    private let originRefusal: OriginRefusalResponder?
    let logger: Logger
    let drain = DrainMonitor()
    let registry = ConnectionRegistry()
    let counter: ConnectionCounter
    let watch: DisconnectWatch
    private let refusal: RefusalResponder
    private let refusals: Locked<Refusals>

    /// The answers to refused requests, made beforehand, as such and as bytes.
    private struct Refusals {
        let responses: [RequestError: ServerResponse]
        let raw: [RequestError: [UInt8]]

        init(_ refusal: RefusalResponder) {
            var responses: [RequestError: ServerResponse] = [:]
            for reason in RequestError.allCases {
                var response = refusal(reason.status, reason.rawValue)
                if case .stream = response.body { response.body = .none }
                responses[reason] = response
            }
            self.responses = responses
            raw = responses.mapValues(RawResponse.bytes)
        }
    }

    init(
        _ settings: ListenerSettings, logger: Logger, refusal: @escaping RefusalResponder,
        originRefusal: OriginRefusalResponder?, immediate: ImmediateHandler?, handler: @escaping RequestHandler,
        watch: DisconnectWatch
    ) {
        limits = settings.limits
        times = Times(
            head: limits.headerTime.clockMilliseconds, body: limits.bodyTime.clockMilliseconds,
            request: limits.requestTime.clockMilliseconds, response: limits.responseTime.clockMilliseconds,
            responseGrace: limits.responseGrace.clockMilliseconds, idle: limits.idle.clockMilliseconds)
        self.handler = handler
        self.immediate = immediate
        self.originRefusal = originRefusal
        self.logger = logger
        self.watch = watch
        counter = ConnectionCounter(
            limit: limits.connections, peerLimit: limits.connectionsPerPeer, isProxy: settings.isProxy)
        self.refusal = refusal
        refusals = Locked(Refusals(refusal))
    }

    /// Has the answers to refused requests made anew.
    func renewRefusals() {
        let fresh = Refusals(refusal)
        refusals.withLock { $0 = fresh }
    }

    /// Bytes that libmicrohttpd keeps per connection: the head, a copy of its cookies, the list of fields, and the head of the answer.
    var connectionMemory: Int { max(32 * 1024, limits.headerBytes * 2 + 16 * 1024) }

    /// Whether refusals differ by origin, so that a request's fields are kept until it is answered.
    var refusesByOrigin: Bool { originRefusal != nil }

    /// The answer to a refused request.
    ///
    /// `headers` are the fields of the request; nil where they did not come or could not be read.
    func response(for refusal: RequestError, to headers: RequestHeaders?) -> ServerResponse {
        response(for: refusal, toOrigin: headers?.single("origin"))
            ?? refusals.withLock { $0.responses[refusal] } ?? ServerResponse(status: refusal.status)
    }

    /// The answer to a refused request, as bytes.
    func rawResponse(for refusal: RequestError, to headers: RequestHeaders? = nil) -> [UInt8] {
        response(for: refusal, toOrigin: headers?.single("origin")).map(RawResponse.bytes)
            ?? refusals.withLock { $0.raw[refusal] } ?? []
    }

    private func response(for refusal: RequestError, toOrigin origin: String?) -> ServerResponse? {
        guard let originRefusal, let origin, origin.utf8.count <= 1024,
            let response = originRefusal(refusal.status, refusal.rawValue, origin)
        else { return nil }
        if case .stream = response.body { return nil }
        return response
    }

    /// Logs a refusal.
    func note(_ refusal: RequestError) {
        switch refusal {
        case .badResponse:
            logger.warning("a response could not be sent as it is")
        case .deadline:
            logger.warning("a request was not answered in time")
        default:
            logger.debug("refused a request", metadata: ["reason": "\(refusal.rawValue)"])
        }
    }
}
