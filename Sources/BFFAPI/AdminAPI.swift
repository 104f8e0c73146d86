package import BFF
package import Basics
internal import HTTPCore
package import HTTPServer
package import Logs

/// The API of the admin listener: liveness, readiness, the questions of gateways about bearer tokens and, with the token
/// of an operator, the sessions of a user.
///
/// Browsers never reach it: it has an address of its own.
package final class AdminAPI: Sendable {
    private let backend: Backend
    private let chain: CallChain
    private let isStopping = Locked(false)
    private let authz: AuthzAPI?
    private let sessions: AdminSessions?

    /// Makes an admin API over the use cases.
    ///
    /// - Parameters:
    ///   - backend: The use cases.
    ///   - authz: Answers questions about bearer tokens; nil when no issuer is trusted.
    ///   - token: The token that operators send to list and end sessions; nil for no such operations.
    ///   - logger: Gets one line per request at level debug, and a warning per call that failed with 5xx.
    ///   - observer: Told of each call; nil for no observer.
    package init(
        backend: Backend, authz: AuthzAPI? = nil, token: Secret<String>? = nil, logger: Logger = .silent,
        observer: CallObserver? = nil
    ) {
        self.backend = backend
        self.authz = authz
        sessions = token.map { AdminSessions(backend.remoteEnds, token: $0) }
        chain = CallChain(trusting: [], AnswerWriter(), logger, backend.audit, observer)
    }

    /// Answers a request; the handler of a `Listener`.
    package func handle(_ request: ServerRequest) async -> ServerResponse {
        await chain.answer(request) { (call) async throws(Problem) in try await answer(&call) }
    }

    private func answer(_ call: inout IncomingCall) async throws(Problem) -> OperationAnswer {
        let request = call.request
        if let authz, authz.isQuestion(request) {
            call.route = AuthzAPI.route
            return try await authz.answer(request)
        }
        if let page = try ProblemPage.answer(request) {
            call.route = ProblemPage.route
            return page
        }
        guard let operation = AdminOperation.allCases.first(where: { $0.path.isSameText(as: request.path) }),
            !operation.isOfSessions || sessions != nil
        else { throw Problem(.notFound) }
        call.route = operation.path
        guard request.method == operation.method || request.method == .head && operation.method == .get else {
            var problem = Problem(.methodNotAllowed)
            let methods = operation.method == .get ? "GET, HEAD" : operation.method.rawValue
            problem.headers = [ResponseHeader("Allow", methods)]
            throw problem
        }
        switch operation {
        case .getHealth: return Self.document(#"{"status":"ok"}"#)
        case .getReadiness:
            try await checkReady()
            return Self.document(#"{"status":"ready"}"#)
        case .authorize: throw Problem(.notFound)
        case .listUserSessions, .endUserSessions, .revokeGlobally:
            guard let sessions else { throw Problem(.notFound) }
            return try await sessions.answer(call, operation)
        }
    }

    private static func document(_ json: String) -> OperationAnswer {
        .document(mediaType: "application/json", Array(json.utf8))
    }

    /// Answers a gateway's question without waiting; the immediate handler of a `Listener`.
    ///
    /// - Returns: nil when the request has to go to `handle`.
    package func answerAtOnce(_ request: ServerRequest) -> ServerResponse? {
        guard let authz, authz.isQuestion(request) else { return nil }
        return chain.answerAtOnce(request, AuthzAPI.route) { (call) throws(Problem) in
            try authz.answerAtOnce(call.request)
        }
    }

    /// Answers a request that the listener itself refuses; the refusal responder of a `Listener`.
    ///
    /// - Parameters:
    ///   - status: The status that the listener proposes; the response has the status of the problem.
    ///   - reason: The raw value of a `RequestError`.
    /// - Returns: A problem document.
    package func refuse(status: Int, reason: String) -> ServerResponse { chain.refusal(reason) }

    /// Makes the server unready: a load balancer sends no new requests while requests in flight finish.
    package func beginStopping() {
        isStopping.withLock { $0 = true }
    }

    private func checkReady() async throws(Problem) {
        if isStopping.withLock({ $0 }) {
            var problem = Problem(.stopping)
            problem.retryAfter = .seconds(1)
            throw problem
        }
        do throws(BFFError) {
            try await backend.ping()
        } catch {
            throw Problem(error)
        }
    }
}

/// The operations of the admin listener; the raw value is the `operationId` in `openapi/admin.yaml`.
enum AdminOperation: String, Sendable, CaseIterable {
    /// Liveness: the process answers.
    case getHealth
    /// Readiness: the server can serve.
    case getReadiness
    /// The check of a bearer token against a requirement.
    case authorize
    /// The sessions in which a user is signed in.
    case listUserSessions
    /// The end of one session of a user, or of all.
    case endUserSessions
    /// The end of all sessions of a user, in the form of Global Token Revocation.
    case revokeGlobally

    /// The path of the operation.
    var path: String {
        switch self {
        case .getHealth: "/healthz"
        case .getReadiness: "/readyz"
        case .authorize: AuthzAPI.route
        case .listUserSessions: "/sessions/list"
        case .endUserSessions: "/sessions/end"
        case .revokeGlobally: "/global-token-revocation"
        }
    }

    /// The method of the operation; a GET answers HEAD as well.
    var method: HTTPMethod { isOfSessions ? .post : .get }

    /// True if the operation is about sessions of a user, and needs the token of an operator.
    var isOfSessions: Bool {
        switch self {
        case .getHealth, .getReadiness, .authorize: false
        case .listUserSessions, .endUserSessions, .revokeGlobally: true
        }
    }
}
