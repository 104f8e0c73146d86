public import BFF
public import Basics
internal import HTTPCore
public import HTTPServer
internal import HTTPTypes
public import Logging

/// The REST API for browsers: admits a request, decodes it, calls one use case and puts what it gave back in HTTP.
///
/// The only code that chooses a status code (with `AdminAPI`). One value serves all requests; it keeps nothing of a
/// user.
public final class BrowserAPI: Sendable {
    let backend: Backend
    let settings: APISettings
    let rates: Rates
    private let router: Router
    private let admission: Admission
    private let crossOrigin: CrossOrigin
    private let writer: AnswerWriter
    private let requestIDs: RequestIDs
    private let contract: [UInt8]
    private let logger: Logger

    /// An API over the use cases.
    ///
    /// - Parameters:
    ///   - settings: Address, callers and bounds.
    ///   - backend: The use cases.
    ///   - time: The clock of the rate limits.
    ///   - logger: Gets one line per request at level debug.
    /// - Throws: The first fault of the settings.
    public init(
        _ settings: APISettings, backend: Backend, time: any TimeSource, logger: Logger
    ) throws(APISettingsFault) {
        if let fault = settings.faults().first { throw fault }
        self.settings = settings
        self.backend = backend
        self.logger = logger
        let cookie = SessionCookie(settings)
        crossOrigin = CrossOrigin(settings)
        admission = Admission(settings, crossOrigin, cookie)
        writer = AnswerWriter(settings, crossOrigin, cookie)
        router = Router(basePath: settings.basePath)
        rates = Rates(settings, time: time)
        requestIDs = RequestIDs(trusting: settings.trustedPeers)
        contract = Contract.document(settings)
    }

    /// Answers a request; the handler of a `Listener`.
    public func handle(_ request: ServerRequest) async -> ServerResponse {
        let begin = logger.logLevel <= .debug ? ContinuousClock.now : nil
        let id = requestIDs.id(for: request)
        var route: Route?
        let answer: Answer
        do throws(Problem) {
            switch try router.match(request) {
            case .operation(let found, let instance, let flow):
                route = found
                answer = try await perform(Call(request, found.operation, id, instance: instance, flow: flow))
            case .otherMethods(let routes):
                answer = try answerOtherMethod(request, routes)
            }
        } catch {
            answer = .problem(error)
        }
        let response = writer.response(answer, id, origin: crossOrigin.origin(of: request))
        if let begin { log(request, route, response.status, id, begin.duration(to: .now)) }
        return response
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

    private func answerOtherMethod(_ request: ServerRequest, _ routes: [Route]) throws(Problem) -> Answer {
        let methods = Router.methods(routes)
        if crossOrigin.isPreflight(request) {
            try admission.checkHost(request)
            return try crossOrigin.preflight(request, methods)
        }
        var problem = Problem(.methodNotAllowed)
        problem.headers = [ResponseHeader("Allow", methods.map(\.rawValue).joined(separator: ", "))]
        throw problem
    }

    /// Neither path nor query: they may carry what nobody should read in a log.
    private func log(_ request: ServerRequest, _ route: Route?, _ status: Int, _ id: String, _ took: Duration) {
        let metadata: Logger.Metadata = [
            "request.id": .string(id), "http.method": .string(request.method.rawValue),
            "http.route": .string(route?.template ?? "none"), "http.status": .stringConvertible(status),
            "duration.us": .stringConvertible(
                took.components.attoseconds / 1_000_000_000_000 + took.components.seconds * 1_000_000),
        ]
        logger.debug("Request", metadata: metadata)
    }
}
