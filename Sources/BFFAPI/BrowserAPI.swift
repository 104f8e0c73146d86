package import BFF
package import Basics
package import HTTPCore
package import HTTPServer
package import Logs
import Sessions

/// The REST API for browsers: admits a request, decodes it, calls one use case and writes the result as an HTTP
/// response.
///
/// `CallChain` does what every call needs. One value serves all requests; it keeps no state of a user.
package final class BrowserAPI: Sendable {
    let backend: Backend
    let settings: APISettings
    let rates: Rates
    let shares: CallerShares
    let callerRules: CallerRules
    let cookie: SessionCookie
    /// The words of devices' proofs; nil where sessions are not bound to devices.
    let device: DeviceCookie?
    let crossOrigin: CrossOrigin
    let proxy: Proxy?
    private let authz: AuthzAPI?
    private let chain: CallChain
    private let router: Router
    private let userTemplate: String
    private let sessionTemplate: String
    private let ownPath: [UInt8]
    private let contract: [UInt8]
    private let relatedOrigins: [UInt8]
    private let passkeyEndpoints: [UInt8]
    private let filePolicy: String
    let time: any TimeSource
    /// The members of a start that products read.
    let startMembers: StartMemberNames

    /// Makes an API over the use cases.
    ///
    /// - Parameters:
    ///   - settings: Address, allowed callers and limits.
    ///   - backend: The use cases.
    ///   - routes: The APIs that calls are passed on to; checked by `RouteSettings.problems`.
    ///   - transport: Sends the calls to the APIs; nil for no routes.
    ///   - authz: Answers listed peers about bearer tokens; nil for no such answers.
    ///   - time: The clock of the rate limits.
    ///   - logger: Gets one line per request at level debug, and a warning per call that failed with 5xx.
    ///   - observer: Told of each call; nil for no observer.
    ///   - redirect: Reads the location to which an API redirects instead of sending a challenge.
    ///   - startMembers: The members of a start that products read.
    ///   - former: The API of the previous settings, whose counts continue; nil at the start.
    /// - Throws: The first problem of the settings.
    package init(
        _ settings: APISettings, backend: Backend, routes: [RouteSettings] = [],
        transport: (any HTTPTransport)? = nil, authz: AuthzAPI? = nil, time: any TimeSource, logger: Logger,
        observer: CallObserver? = nil, redirect: @escaping RedirectReader, startMembers: StartMemberNames,
        after former: BrowserAPI? = nil
    ) throws(APISettingsError) {
        if let failure = settings.problems().first { throw failure }
        self.settings = settings
        self.backend = backend
        device = backend.devices.isOffered ? DeviceCookie(settings, routes: routes) : nil
        cookie = SessionCookie(settings, device: device)
        crossOrigin = CrossOrigin(settings)
        callerRules = CallerRules(settings, crossOrigin, cookie)
        shares = CallerShares(settings, after: former?.shares)
        chain = CallChain(
            trusting: settings.trustedPeers, AnswerWriter(settings, crossOrigin, cookie), logger, backend.audit,
            observer, shares: shares)
        proxy = transport.flatMap { transport in
            routes.isEmpty
                ? nil
                : Proxy(
                    routes, settings, backend, transport, logger, redirect: redirect, after: former?.proxy)
        }
        self.authz = authz
        self.startMembers = startMembers
        ownPath = Array((settings.basePath + "/").utf8)
        let documents = [
            (Operation.getRelatedOrigins, settings.passkeys.relatedOriginsDocument),
            (.getPasskeyEndpoints, settings.passkeys.endpointsDocument),
        ]
        var absent = Set(documents.filter { $0.1 == nil }.map(\.0))
        if !backend.devices.isOffered { absent.formUnion([.bindDevice, .proveDevice]) }
        router = Router(basePath: settings.basePath, without: absent)
        (relatedOrigins, passkeyEndpoints) = (documents[0].1 ?? [], documents[1].1 ?? [])
        userTemplate = settings.basePath + "/{instance}/user"
        sessionTemplate = settings.basePath + "/session"
        rates = Rates(settings, time: time, after: former?.rates)
        contract = Contract.document(settings)
        filePolicy = settings.pageSources.policy(framesItself: !settings.pingClients.isEmpty)
        self.time = time
    }

    /// Answers a request; the handler of a `Listener`.
    package func handle(_ request: ServerRequest) async -> ServerResponse {
        await chain.answer(request) { (call) async throws(Problem) in try await answer(&call) }
    }

    private func answer(_ call: inout IncomingCall) async throws(Problem) -> OperationAnswer {
        guard !isOwn(call.request) else {
            if let answer = try await speakPing(&call) { return answer }
            return try await operate(&call)
        }
        if let authz = authz(for: call.request) {
            call.route = AuthzAPI.route
            return try await authz.answer(call.request)
        }
        if let page = try ProblemPage.answer(call.request) {
            call.route = ProblemPage.route
            try callerRules.checkHost(call.request)
            return page
        }
        if let page = settings.frontPage?.answer(call.request) {
            call.route = "/"
            try callerRules.checkHost(call.request)
            return page
        }
        // rule: no route takes the place of a document about passkeys
        if router.isPasskeyDocument(call.request) { return try await operate(&call) }
        if let passed = try await passOn(&call) { return passed }
        // rule: no file takes the place of an operation
        if !router.knows(call.request), let file = settings.files?.answer(call.request, policy: filePolicy) {
            call.route = "/{file}"
            try callerRules.checkHost(call.request)
            return file
        }
        return try await operate(&call)
    }

    /// Answers a request without waiting; the immediate handler of a `Listener`.
    ///
    /// It answers `session` and `user` when the record is in memory, and a gateway's question about a token whose
    /// issuer's keys are in memory. The rules are those of `handle`, applied by the same functions.
    ///
    /// - Returns: nil when the request has to go to `handle`; then nothing has been done yet.
    package func answerAtOnce(_ request: ServerRequest) -> ServerResponse? {
        if let authz = authz(for: request), !isOwn(request) {
            return chain.answerAtOnce(request, AuthzAPI.route) { (call) throws(Problem) in
                try authz.answerAtOnce(call.request)
            }
        }
        if router.isPlainSession(request) {
            return chain.answerAtOnce(request, sessionTemplate) { (call) throws(Problem) in
                let sent = try callerRules.admitScript(call.request)
                do throws(BFFError) {
                    let session = try backend.sessionAtOnce(
                        cookie: sent.session, startCookie: sent.start, device: sent.device)
                    return session.map { .reply(SessionDocument.document($0), .keep) }
                } catch {
                    throw Problem(error)
                }
            }
        }
        guard let instance = router.plainUser(request) else { return nil }
        return chain.answerAtOnce(request, userTemplate) { (call) throws(Problem) in
            let sent = try callerRules.admitScript(call.request)
            do throws(BFFError) {
                let user = try backend.userAtOnce(
                    instance, cookie: sent.session, startCookie: sent.start, device: sent.device)
                return user.map { .reply(UserDocument.document($0), .keep) }
            } catch {
                var problem = Problem(error)
                if error == .signedOut {
                    problem.reason = backend.ends.signedOutAtOnce(InstanceName(instance), sent.session)
                }
                throw problem
            }
        }
    }

    private func isOwn(_ request: ServerRequest) -> Bool { request.path.utf8.starts(with: ownPath) }

    /// The API that answers a gateway's question; nil for any other request, and for a peer that is not listed.
    private func authz(for request: ServerRequest) -> AuthzAPI? {
        guard let authz, authz.isQuestion(request), authz.answers(request.peer) else { return nil }
        return authz
    }

    private func operate(_ call: inout IncomingCall) async throws(Problem) -> OperationAnswer {
        let request = call.request
        switch try match(request) {
        case .operation(let route, let instance, let flow):
            call.route = route.template
            return try await perform(
                OperationCall(incoming: call, operation: route.operation, instance: instance, flow: flow))
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
            // A refused preflight keeps the browser from sending the call, whose problem the page could then not read.
            guard crossOrigin.isPreflight(request), crossOrigin.origin(of: request) != nil else { throw error }
            return .unknown
        }
    }

    /// Answers a request that the listener itself refuses; the refusal responder of a `Listener`.
    ///
    /// - Parameters:
    ///   - status: The status that the listener proposes; the response has the status of the problem.
    ///   - reason: The raw value of a `RequestError`.
    /// - Returns: A problem document.
    package func refuse(status: Int, reason: String) -> ServerResponse { chain.refusal(reason) }

    /// Answers a request that the listener itself refuses, readable by a page of a listed origin; the refusal responder
    /// of a `Listener` for origins.
    ///
    /// - Parameters:
    ///   - status: The status that the listener proposes; the response has the status of the problem.
    ///   - reason: The raw value of a `RequestError`.
    ///   - origin: The request's `Origin`.
    /// - Returns: A problem document; nil for an origin that is not listed.
    package func refuse(status: Int, reason: String, origin: String) -> ServerResponse? {
        crossOrigin.lists(origin) ? chain.refusal(reason, origin: origin) : nil
    }

    private func perform(_ call: OperationCall) async throws(Problem) -> OperationAnswer {
        var call = call
        call.cookies = try callerRules.admit(call.request, call.operation)
        if call.operation.isRateLimited { try checkRates(call) }
        let answer = try await run(call)
        if let cookie = answer.newCookie { rates.carry(from: call.cookies, to: cookie) }
        return answer
    }

    private func run(_ call: OperationCall) async throws(Problem) -> OperationAnswer {
        switch call.operation {
        case .getSession: return try await getSession(call)
        case .streamEvents: return try await streamEvents(call)
        case .startFlow: return try await startFlow(call)
        case .answerStep: return try await answerStep(call)
        case .getFlow: return try await getFlow(call)
        case .cancelFlow: return try await cancelFlow(call)
        case .resumeFlow: return try await resumeFlow(call)
        case .leave: return try await leave(call)
        case .comeBack: return try await comeBack(call)
        case .comeBackByForm: return try await comeBackByForm(call)
        case .getUser: return try await getUser(call)
        case .refreshToken: return try await refreshToken(call)
        case .revokeToken: return try await revokeToken(call)
        case .logoutInstance: return try await logoutInstance(call)
        case .logoutBrowser: return try await logoutBrowser(call)
        case .listSessions: return try await listSessions(call)
        case .endOtherSessions: return try await endOtherSessions(call)
        case .endSession: return try await endSession(call)
        case .bindDevice: return try await bindDevice(call)
        case .proveDevice: return try await proveDevice(call)
        case .takeLogoutToken: return try await takeLogoutToken(call)
        case .getContract: return .document(mediaType: "application/yaml", contract)
        case .getRelatedOrigins: return .document(mediaType: "application/json", relatedOrigins)
        case .getPasskeyEndpoints: return .document(mediaType: "application/json", passkeyEndpoints)
        }
    }

    /// Checks the rates of operations that reach a provider, by client address and by session; `next` is limited by
    /// flow as well.
    func checkRates(_ call: OperationCall) throws(Problem) {
        try rates.checkPeer(call.request)
        try rates.checkSession(call.cookies)
    }

    /// Answers a preflight, or throws 405 with the methods of the path; `more` names further header fields that the
    /// path accepts.
    func answerOtherMethod(
        _ request: ServerRequest, _ methods: [HTTPMethod], more: [String] = []
    ) throws(Problem) -> OperationAnswer {
        if crossOrigin.isPreflight(request) {
            try callerRules.checkHost(request)
            return try crossOrigin.preflight(request, methods, more: more)
        }
        var problem = Problem(.methodNotAllowed)
        problem.headers = [ResponseHeader("Allow", methods.map(\.rawValue).joined(separator: ", "))]
        throw problem
    }
}
