internal import BFF
internal import Basics
internal import HTTPCore
internal import HTTPServer
internal import Logs

/// What concerns every call, whoever answers it: request id and trace, problem documents, the header fields of every
/// answer, those for pages of other origins, the lines in the log and what an observer is told.
///
/// The browser's API, the routes to other APIs, `/authz`, the admin listener and what a listener refuses itself pass the
/// one of their listener. What needs no waiting passes it without a task.
struct CallChain: Sendable {
    private let ids: RequestIDs
    private let trusted: [AddressRange]
    private let writer: AnswerWriter
    private let logger: Logger
    private let audit: AuditLog
    private let observer: CallObserver?
    private let shares: CallerShares?

    /// - Parameters:
    ///   - trusted: Whose request ids are taken over, and whose word on addresses.
    ///   - writer: Puts answers in HTTP.
    ///   - logger: Gets one line per call at level debug, and a warning per call that failed with 5xx.
    ///   - audit: Told of callers that are turned away.
    ///   - observer: Told of each call; nil for nobody.
    ///   - shares: Bounds the bytes of answers that have not left; nil for no bound.
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
    ///   - work: Finds the answer; sets the route as soon as it knows it. What it asks of other servers is asked under
    ///     the call's id and trace.
    /// - Returns: The answer in HTTP.
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

    /// Answers a call that may need no waiting; nothing is asked of other servers.
    ///
    /// - Parameters:
    ///   - request: The call.
    ///   - route: Its route.
    ///   - work: Finds the answer; nil when it would have to wait.
    /// - Returns: What `answer` would return; nil when the call has to be made there, and nothing has been done yet.
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

    /// The answer to a request that the listener refuses itself: no more is known of it than why.
    ///
    /// The listener asks for each refusal, and logs it itself.
    ///
    /// - Parameters:
    ///   - reason: The raw value of a `RequestError`.
    ///   - origin: A listed origin whose pages may read the answer.
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

    /// Counts an answer until it has left; one that `isKept` goes out even where there is no room for it.
    ///
    /// - Returns: Why it does not.
    private func keep(_ response: inout ServerResponse, _ call: IncomingCall, isKept: Bool) -> Problem? {
        response.held = call.share
        guard let shares, case .bytes(let body) = response.body, body.count > CallerShares.uncounted else { return nil }
        let share = call.share ?? shares.share(of: call.request)
        if let refusal = share.keep(body.count, isKept: isKept) { return Problem(refusal) }
        response.held = share
        return nil
    }

    /// Says to operators that a call failed without its caller's fault; why is in lines of those who were asked.
    ///
    /// Whoever went away while the call ran is no failure, and neither is a server that stops.
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

    /// Neither path nor query: they may carry what nobody should read in a log.
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
