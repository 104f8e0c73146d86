internal import Basics
internal import Logs

/// The settings, handlers and counters that the threads and connections of one listener share.
///
/// Immutable but for the counters.
final class ListenerCore: Sendable {
    /// The time limits in milliseconds.
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
    let parkTime: Duration
    let handler: RequestHandler
    let immediate: ImmediateHandler?
    private let originRefusal: OriginRefusalResponder?
    let logger: Logger
    let drain = DrainMonitor()
    let counter: ConnectionCounter
    private let refusal: RefusalResponder

    init(
        _ settings: ListenerSettings, logger: Logger, refusal: @escaping RefusalResponder,
        originRefusal: OriginRefusalResponder?, immediate: ImmediateHandler?, handler: @escaping RequestHandler
    ) {
        limits = settings.limits
        parkTime = settings.parkTime
        times = Times(
            head: limits.headerTime.clockMilliseconds, body: limits.bodyTime.clockMilliseconds,
            request: max(limits.requestTime, limits.longestRequestTime ?? .zero).clockMilliseconds,
            response: limits.responseTime.clockMilliseconds,
            responseGrace: limits.responseGrace.clockMilliseconds, idle: limits.idle.clockMilliseconds)
        self.handler = handler
        self.immediate = immediate
        self.originRefusal = originRefusal
        self.logger = logger
        counter = ConnectionCounter(
            limit: limits.connections, peerLimit: limits.connectionsPerPeer, isProxy: settings.isProxy)
        self.refusal = refusal
    }

    /// Bytes of memory that libmicrohttpd has per connection.
    ///
    /// They hold the head, a copy of its cookies, the list of fields, and the head of the response.
    var connectionMemory: Int { max(32 * 1024, limits.headerBytes * 2 + 16 * 1024) }

    /// True if refusals depend on the origin, so that the fields of a request are kept until it is answered.
    var refusesByOrigin: Bool { originRefusal != nil }

    /// The response to a refused request, made anew for each: it carries the id under which the log names the refusal.
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

    /// Counts a connection out, and wakes a stop that waits for that.
    func countOut(_ peer: PeerAddress) {
        counter.leave(peer)
        drain.connectionEnded()
    }

    /// Logs a refusal, with the request id in the `X-Request-Id` of its response.
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
