public import BFF
internal import Basics
internal import HTTPCore
public import HTTPServer

/// What the admin listener answers: whether the process lives and whether it can serve, and what gateways
/// ask about bearer tokens.
///
/// Never reachable by browsers: it has an address of its own and tells nothing about users.
public final class AdminAPI: Sendable {
    private let backend: Backend
    private let requestIDs = RequestIDs(trusting: [])
    private let isStopping = Locked(false)
    private let authz: AuthzAPI?

    /// An admin API over the use cases.
    ///
    /// - Parameters:
    ///   - backend: The use cases.
    ///   - authz: Answers about bearer tokens; nil when no issuer is trusted.
    public init(backend: Backend, authz: AuthzAPI? = nil) {
        self.backend = backend
        self.authz = authz
    }

    /// Answers a request; the handler of a `Listener`.
    public func handle(_ request: ServerRequest) async -> ServerResponse {
        let id = requestIDs.next()
        if let authz, authz.isQuestion(request) {
            return await authz.answer(request, AnswerWriter.always, id)
        }
        do throws(Problem) {
            guard let operation = AdminOperation.allCases.first(where: { $0.path == request.path }) else {
                throw Problem(.notFound)
            }
            guard request.method == .get || request.method == .head else {
                var problem = Problem(.methodNotAllowed)
                problem.headers = [ResponseHeader("Allow", "GET, HEAD")]
                throw problem
            }
            switch operation {
            case .getHealth: return answer(#"{"status":"ok"}"#, id)
            case .getReadiness:
                try await checkReady()
                return answer(#"{"status":"ready"}"#, id)
            case .authorize: throw Problem(.notFound)
            }
        } catch {
            return answer(error, id)
        }
    }

    /// Answers a gateway's question that needs no waiting; the immediate handler of a `Listener`.
    ///
    /// - Returns: nil to be asked with `handle`.
    public func answerAtOnce(_ request: ServerRequest) -> ServerResponse? {
        guard let authz, authz.isQuestion(request) else { return nil }
        return authz.answerAtOnce(request, AnswerWriter.always, requestIDs.next())
    }

    /// Answers a request that the listener refuses itself; the refusal responder of a `Listener`.
    ///
    /// - Parameters:
    ///   - status: What the listener proposes; the problem's own status counts.
    ///   - reason: The raw value of a `Refusal`.
    /// - Returns: A problem document.
    public func refuse(status: Int, reason: String) -> ServerResponse {
        answer(Problem(refusal: reason), requestIDs.next())
    }

    /// From now on the server is not ready: a load balancer sends nothing new while what is under way is finished.
    public func beginStopping() {
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

    private func answer(_ json: String, _ id: String) -> ServerResponse {
        ServerResponse(status: 200, headers: headers("application/json", id), body: Array(json.utf8))
    }

    private func answer(_ problem: Problem, _ id: String) -> ServerResponse {
        var all = headers("application/problem+json", id) + problem.headers
        if let seconds = problem.retrySeconds { all.append(ResponseHeader("Retry-After", String(seconds))) }
        return ServerResponse(status: problem.type.status, headers: all, body: problem.document(id))
    }

    private func headers(_ mediaType: String, _ id: String) -> [ResponseHeader] {
        AnswerWriter.always + [ResponseHeader("Content-Type", mediaType), ResponseHeader("X-Request-Id", id)]
    }
}

/// What the admin listener can be asked for; the raw value is the `operationId` in `openapi/openapi.yaml`.
enum AdminOperation: String, Sendable, CaseIterable {
    /// Whether the process lives.
    case getHealth
    /// Whether it can serve.
    case getReadiness
    /// Whether a bearer token meets a requirement.
    case authorize

    /// The path.
    var path: String {
        switch self {
        case .getHealth: "/healthz"
        case .getReadiness: "/readyz"
        case .authorize: AuthzAPI.prefix + "{requirement}"
        }
    }
}
