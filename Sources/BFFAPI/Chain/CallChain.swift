internal import BFF
internal import Basics
internal import HTTPCore
internal import HTTPServer
internal import Logs

/// The steps of every call on a listener: request id and trace, problem documents, the header fields of every answer,
/// those for pages of other origins, log lines and the call to the observer.
///
/// The browser API, the routes to other APIs, `/authz`, the admin listener and the listener's own refusals pass the
/// chain of their listener. A call that needs no waiting passes it without a task.
struct CallChain: Sendable {
    private let ids: RequestIDs
    private let trusted: [AddressRange]
    private let writer: AnswerWriter
    private let logger: Logger
    private let audit: AuditLog
    private let observer: CallObserver?
    private let shares: CallerShares?

    /// - Parameters:
    ///   - trusted: The proxies whose `X-Request-Id` and `X-Forwarded-For` are believed.
    ///   - writer: Writes answers as HTTP responses.
    ///   - logger: Gets one line per call at level debug, and a warning per call that failed with 5xx.
    ///   - audit: Told of denied calls.
    ///   - observer: Told of each call; nil for no observer.
    ///   - shares: Bounds the bytes of answers that are not sent yet; nil for no bound.
    init(
        trusting trusted: [AddressRange], _ writer: AnswerWriter, _ logger: Logger, _ audit: AuditLog,
        _ observer: CallObserver?, shares: CallerShares? = nil
    ) {
        ids = RequestIDs(trusting: trusted)
        self.trusted = trusted
        self.writer = writer
        self.logger = logger
        self.audit = audit
        self.observer = observer
        self.shares = shares
    }

    /// Answers a call.
    ///
    /// - Parameters:
    ///   - request: The call.
    ///   - work: Finds the answer, and sets the route as soon as it is known. Its requests to other servers carry the
    ///     call's id and trace.
    /// - Returns: The HTTP response.
    func answer(
        _ request: ServerRequest, _ work: (inout IncomingCall) async throws(Problem) -> OperationAnswer
    ) async -> ServerResponse {
        var call = begin(request, IncomingCall.noRoute)
        let context = RequestContext(id: call.id, trace: TraceContext(of: request))
        let answer = await RequestScope.$current.withValue(context) { () async -> OperationAnswer in
            do throws(Problem) { return try await work(&call) } catch { return .problem(error) }
        }
        return end(call, answer)
    }

    /// Answers a call that may need no waiting; it makes no requests to other servers.
    ///
    /// - Parameters:
    ///   - request: The call.
    ///   - route: Its route.
    ///   - work: Finds the answer; nil when it would have to wait.
    /// - Returns: The response of `answer`; nil when the call has to go there, and then nothing has been done yet.
    func answerAtOnce(
        _ request: ServerRequest, _ route: String, _ work: (IncomingCall) throws(Problem) -> OperationAnswer?
    ) -> ServerResponse? {
        let call = begin(request, route)
        do throws(Problem) {
            guard let answer = try work(call) else { return nil }
            return end(call, answer)
        } catch {
            return end(call, .problem(error))
        }
    }

    /// The answer to a request that the listener itself refuses, made from the reason alone.
    ///
    /// The listener calls it for each refusal, and logs the refusal itself.
    ///
    /// - Parameters:
    ///   - reason: The raw value of a `RequestError`.
    ///   - origin: A listed origin whose pages may read the answer; nil for none.
    /// - Returns: A problem document.
    func refusal(_ reason: String, origin: String? = nil) -> ServerResponse {
        writer.response(.problem(Problem(refusal: reason)), ids.next(), origin: origin)
    }

    private func begin(_ request: ServerRequest, _ route: String) -> IncomingCall {
        let isTimed = observer != nil || logger.logLevel <= .debug
        return IncomingCall(
            request: request, id: ids.id(for: request), begin: isTimed ? ContinuousClock.now : nil, trusted: trusted,
            route: route)
    }

    private func end(_ call: IncomingCall, _ answer: OperationAnswer) -> ServerResponse {
        var response = writer.response(answer, call.id, to: call.request)
        var answer = answer
        if let problem = keep(&response, call, isKept: answer.bringsCookie) {
            answer = .problem(problem)
            response = writer.response(answer, call.id, to: call.request)
        }
        if case .problem(let problem) = answer {
            logFailure(problem, call)
            if problem.type.isDenial {
                audit.denied(
                    problem.type.rawValue, address: CallerAddress.network(call.address), route: call.route,
                    requestID: call.id)
            }
        }
        if let took = call.begin?.duration(to: .now) {
            if logger.logLevel <= .debug { log(call, response.status, took) }
            observer?(
                FinishedCall(
                    route: call.route, method: call.request.method, status: response.status, duration: took,
                    requestID: call.id))
        }
        return response
    }

    /// Counts an answer's bytes until it has been sent; an answer that `isKept` is sent even beyond the limits.
    ///
    /// - Returns: The problem that replaces the answer; nil when the answer is sent.
    private func keep(_ response: inout ServerResponse, _ call: IncomingCall, isKept: Bool) -> Problem? {
        response.held = call.share
        guard let shares, case .bytes(let body) = response.body, body.count > CallerShares.uncounted else { return nil }
        let share = call.share ?? shares.share(of: call.request)
        if let refusal = share.keep(body.count, isKept: isKept) { return Problem(refusal) }
        response.held = share
        return nil
    }

    /// Logs a warning about a call that failed through no fault of its caller; the log lines of the store, provider or
    /// API tell the cause.
    ///
    /// A caller that disconnects during the call is not a failure, and neither is a server that stops.
    private func logFailure(_ problem: Problem, _ call: IncomingCall) {
        guard problem.type.status >= 500, problem.type != .interrupted, problem.type != .stopping, !problem.isBrokenOff
        else { return }
        logger.warning(
            "Call failed",
            metadata: [
                "request.id": .string(call.id), "http.method": .string(call.request.method.rawValue),
                "http.route": .string(call.route), "http.status": .stringConvertible(problem.type.status),
                "problem": .string(problem.type.rawValue),
            ])
    }

    /// Logs the call without path and query, which may carry secrets.
    private func log(_ call: IncomingCall, _ status: Int, _ took: Duration) {
        logger.debug(
            "Request",
            metadata: [
                "request.id": .string(call.id), "http.method": .string(call.request.method.rawValue),
                "http.route": .string(call.route), "http.status": .stringConvertible(status),
                "duration.us": .stringConvertible(
                    took.components.attoseconds / 1_000_000_000_000 + took.components.seconds * 1_000_000),
            ])
    }
}
