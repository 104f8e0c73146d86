public import BFF
public import Basics
public import HTTPCore
public import HTTPServer
public import Logs

/// The REST API for browsers: admits a request, decodes it, calls one use case and puts what it gave back in HTTP.
///
/// The only code that chooses a status code (with `AdminAPI`). One value serves all requests; it keeps nothing of a
/// user.
public final class BrowserAPI: Sendable {
    let backend: Backend
    let settings: APISettings
    let rates: Rates
    let admission: Admission
    let crossOrigin: CrossOrigin
    let proxy: Proxy?
    private let authz: AuthzAPI?
    private let router: Router
    private let userTemplate: String
    private let ownPath: [UInt8]
    private let writer: AnswerWriter
    private let requestIDs: RequestIDs
    private let contract: [UInt8]
    private let logger: Logger

    /// An API over the use cases.
    ///
    /// - Parameters:
    ///   - settings: Address, callers and bounds.
    ///   - backend: The use cases.
    ///   - routes: The APIs that calls are passed on to; checked by `RouteSettings.faults`.
    ///   - transport: Reaches them.
    ///   - authz: Answers listed peers about bearer tokens; nil for nobody.
    ///   - time: The clock of the rate limits.
    ///   - logger: Gets one line per request at level debug, and a warning per call that failed with 5xx.
    /// - Throws: The first fault of the settings.
    public init(
        _ settings: APISettings, backend: Backend, routes: [RouteSettings] = [],
        transport: (any HTTPTransport)? = nil, authz: AuthzAPI? = nil, time: any TimeSource, logger: Logger
    ) throws(APISettingsFault) {
        if let fault = settings.faults().first { throw fault }
        self.settings = settings
        self.backend = backend
        self.logger = logger
        let cookie = SessionCookie(settings)
        crossOrigin = CrossOrigin(settings)
        admission = Admission(settings, crossOrigin, cookie)
        writer = AnswerWriter(settings, crossOrigin, cookie)
        proxy = transport.flatMap { transport in
            routes.isEmpty ? nil : Proxy(routes, settings, backend, transport, logger)
        }
        self.authz = authz
        ownPath = Array((settings.basePath + "/").utf8)
        router = Router(basePath: settings.basePath)
        userTemplate = settings.basePath + "/{instance}/user"
        rates = Rates(settings, time: time)
        requestIDs = RequestIDs(trusting: settings.trustedPeers)
        contract = Contract.document(settings)
    }

    /// Answers a request; the handler of a `Listener`.
    public func handle(_ request: ServerRequest) async -> ServerResponse {
        let begin = logger.logLevel <= .debug ? ContinuousClock.now : nil
        let id = requestIDs.id(for: request)
        return await RequestScope.$id.withValue(id) { await handle(request, id, begin) }
    }

    private func handle(
        _ request: ServerRequest, _ id: String, _ begin: ContinuousClock.Instant?
    ) async -> ServerResponse {
        let isOwn = request.path.utf8.starts(with: ownPath)
        if !isOwn, let authz, authz.isQuestion(request), authz.answers(request.peer) {
            return await authz.answer(request, writer.common, id)
        }
        var template = "none"
        let answer: Answer
        do throws(Problem) {
            if !isOwn, let passed = try await passOn(request, id, &template) {
                answer = passed
            } else {
                answer = try await operate(request, id, &template)
            }
        } catch {
            logFailure(error, request, template, id)
            answer = .problem(error)
        }
        let response = writer.response(answer, id, origin: crossOrigin.origin(of: request))
        if let begin { log(request, template, response.status, id, begin.duration(to: .now)) }
        return response
    }

    /// Answers a request that needs no waiting; the immediate handler of a `Listener`.
    ///
    /// That is `user` when it reads a record in memory, and a gateway's question about a token whose issuer's keys are at
    /// hand. The rules are those of `handle`, applied by the same functions.
    ///
    /// - Returns: nil to be asked with `handle`; then nothing has been done yet.
    public func answerAtOnce(_ request: ServerRequest) -> ServerResponse? {
        if let authz, authz.isQuestion(request), !request.path.utf8.starts(with: ownPath), authz.answers(request.peer) {
            return authz.answerAtOnce(request, writer.common, requestIDs.id(for: request))
        }
        guard let instance = router.plainUser(request) else { return nil }
        let begin = logger.logLevel <= .debug ? ContinuousClock.now : nil
        let id = requestIDs.id(for: request)
        var answer: Answer
        do throws(Problem) {
            let cookie = try admission.admitScript(request)
            do throws(BFFError) {
                guard let reply = try backend.userAtOnce(instance, cookie: cookie) else { return nil }
                answer = .reply(reply)
            } catch {
                throw Problem(error)
            }
        } catch {
            logFailure(error, request, userTemplate, id)
            answer = .problem(error)
        }
        let response = writer.response(answer, id, origin: crossOrigin.origin(of: request))
        if let begin { log(request, userTemplate, response.status, id, begin.duration(to: .now)) }
        return response
    }

    private func operate(
        _ request: ServerRequest, _ id: String, _ template: inout String
    ) async throws(Problem) -> Answer {
        switch try match(request) {
        case .operation(let route, let instance, let flow):
            template = route.template
            return try await perform(Call(request, route.operation, id, instance: instance, flow: flow))
        case .otherMethods(let routes):
            return try answerOtherMethod(request, Router.methods(routes))
        case .unknown:
            return try answerOtherMethod(request, crossOrigin.askedMethods(request), more: RequestFields.crossOrigin)
        }
    }

    /// Finds the operation of a request.
    ///
    /// - Throws: `.malformed`, `.notFound`.
    private func match(_ request: ServerRequest) throws(Problem) -> Router.Match {
        do {
            return try router.match(request)
        } catch {
            // Its page asks before it calls, and could not read what an unheard call would have been answered with.
            guard crossOrigin.isPreflight(request), crossOrigin.origin(of: request) != nil else { throw error }
            return .unknown
        }
    }

    /// Answers a request that the listener refuses itself; the refusal responder of a `Listener`.
    ///
    /// - Parameters:
    ///   - status: What the listener proposes; the problem's own status counts.
    ///   - reason: The raw value of a `Refusal`.
    /// - Returns: A problem document.
    public func refuse(status: Int, reason: String) -> ServerResponse {
        writer.response(.problem(Problem(refusal: reason)), requestIDs.next())
    }

    private func perform(_ call: Call) async throws(Problem) -> Answer {
        var call = call
        call.cookie = try admission.admit(call.request, call.operation)
        if call.operation.isRateLimited { try checkRates(call) }
        switch call.operation {
        case .getSession: return try await getSession(call)
        case .startFlow: return try await startFlow(call)
        case .answerStep: return try await answerStep(call)
        case .getFlow: return try await getFlow(call)
        case .cancelFlow: return try await cancelFlow(call)
        case .getUser: return try await getUser(call)
        case .refreshToken: return try await refreshToken(call)
        case .revokeToken: return try await revokeToken(call)
        case .logoutInstance: return try await logoutInstance(call)
        case .logout: return try await logout(call)
        case .getContract: return .document(mediaType: "application/yaml", contract)
        }
    }

    /// What reaches a provider is limited by client address and by session; `next` by flow as well.
    func checkRates(_ call: Call) throws(Problem) {
        try rates.checkPeer(call.request)
        try rates.checkSession(call.cookie)
    }

    /// A preflight, or 405 with the methods that the path has; `more` are header fields that it takes.
    func answerOtherMethod(
        _ request: ServerRequest, _ methods: [HTTPMethod], more: [String] = []
    ) throws(Problem) -> Answer {
        if crossOrigin.isPreflight(request) {
            try admission.checkHost(request)
            return try crossOrigin.preflight(request, methods, more: more)
        }
        var problem = Problem(.methodNotAllowed)
        problem.headers = [ResponseHeader("Allow", methods.map(\.rawValue).joined(separator: ", "))]
        throw problem
    }

    /// Says to operators that a call failed without its caller's fault; why is in lines of those who were asked.
    ///
    /// Whoever went away while the call ran is no failure.
    private func logFailure(_ problem: Problem, _ request: ServerRequest, _ template: String, _ id: String) {
        guard problem.type.status >= 500, problem.type != .interrupted else { return }
        logger.warning(
            "Call failed",
            metadata: [
                "request.id": .string(id), "http.method": .string(request.method.rawValue),
                "http.route": .string(template), "http.status": .stringConvertible(problem.type.status),
                "problem": .string(problem.type.rawValue),
            ])
    }

    /// Neither path nor query: they may carry what nobody should read in a log.
    private func log(_ request: ServerRequest, _ template: String, _ status: Int, _ id: String, _ took: Duration) {
        let metadata: Logger.Metadata = [
            "request.id": .string(id), "http.method": .string(request.method.rawValue),
            "http.route": .string(template), "http.status": .stringConvertible(status),
            "duration.us": .stringConvertible(
                took.components.attoseconds / 1_000_000_000_000 + took.components.seconds * 1_000_000),
        ]
        logger.debug("Request", metadata: metadata)
    }
}
