internal import Basics
internal import Logs

/// What the threads, connections and handlers of one listener share; immutable but for the counters.
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

    init(
        _ settings: ListenerSettings, logger: Logger, refusal: @escaping RefusalResponder,
        originRefusal: OriginRefusalResponder?, immediate: ImmediateHandler?, handler: @escaping RequestHandler,
        watch: DisconnectWatch
    ) {
        limits = settings.limits
        times = Times(
            head: limits.headerTime.clockMilliseconds, body: limits.bodyTime.clockMilliseconds,
            request: max(limits.requestTime, limits.longestRequestTime ?? .zero).clockMilliseconds,
            response: limits.responseTime.clockMilliseconds,
            responseGrace: limits.responseGrace.clockMilliseconds, idle: limits.idle.clockMilliseconds)
        self.handler = handler
        self.immediate = immediate
        self.originRefusal = originRefusal
        self.logger = logger
        self.watch = watch
        counter = ConnectionCounter(
            limit: limits.connections, peerLimit: limits.connectionsPerPeer, isProxy: settings.isProxy)
        self.refusal = refusal
    }

    /// Bytes that libmicrohttpd keeps per connection: the head, a copy of its cookies, the list of fields, and the head of the answer.
    var connectionMemory: Int { max(32 * 1024, limits.headerBytes * 2 + 16 * 1024) }

    /// Whether refusals differ by origin, so that a request's fields are kept until it is answered.
    var refusesByOrigin: Bool { originRefusal != nil }

    /// The answer to a refused request, made anew for each: it carries the id under which the log knows it.
    ///
    /// `headers` are the fields of the request; nil where they did not come or could not be read.
    func response(for refusal: RequestError, to headers: RequestHeaders?) -> ServerResponse {
        var response =
            ownResponse(for: refusal, toOrigin: headers?.single("origin"))
            ?? self.refusal(refusal.status, refusal.rawValue)
        if case .stream = response.body { response.body = .none }
        return response
    }

    private func ownResponse(for refusal: RequestError, toOrigin origin: String?) -> ServerResponse? {
        guard let originRefusal, let origin, origin.utf8.count <= 1024 else { return nil }
        return originRefusal(refusal.status, refusal.rawValue, origin)
    }

    /// Logs a refusal, with the request id in the `X-Request-Id` of its answer.
    func note(_ refusal: RequestError, _ answer: ServerResponse) {
        let (level, message): (Logger.Level, Logger.Message) =
            switch refusal {
            case .badResponse: (.warning, "a response could not be sent as it is")
            case .deadline: (.warning, "a request was not answered in time")
            default: (.debug, "refused a request")
            }
        guard logger.logLevel <= level else { return }
        var metadata: Logger.Metadata = ["reason": "\(refusal.rawValue)"]
        if let id = answer.headers.first(where: { $0.name.isSameText(as: "X-Request-Id") }) {
            metadata["request.id"] = .string(id.value)
        }
        logger.log(level: level, message, metadata: metadata)
    }
}
