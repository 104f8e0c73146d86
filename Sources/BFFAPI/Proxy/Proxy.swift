internal import BFF
internal import Basics
internal import HTTPCore
internal import HTTPServer
internal import Logs
package import ResourceServer
import Sessions

/// Reads the challenge in the location to which a gateway redirects instead of answering 401; nil for other locations.
package typealias RedirectReader = @Sendable (_ location: String) -> ReceivedChallenge?

/// Passes calls on to APIs with the browser's token attached.
///
/// No answer of an API signs the browser out or sends it to a login page.
struct Proxy: Sendable {
    let table: RouteTable
    private let backend: Backend
    private let transport: any HTTPTransport
    private let fields: RequestFields
    private let logger: Logger
    /// Reads the address to which a gateway redirects in place of a challenge.
    private let redirect: RedirectReader

    init(
        _ routes: [RouteSettings], _ settings: APISettings, _ backend: Backend, _ transport: any HTTPTransport,
        _ logger: Logger, redirect: @escaping RedirectReader, after former: Proxy? = nil
    ) {
        self.redirect = redirect
        table = RouteTable(routes, after: former?.table)
        self.backend = backend
        self.transport = transport
        fields = RequestFields(settings)
        self.logger = logger
    }

    /// Makes a call.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - mayRenew: Called before the provider is asked for a new token because the API called the token invalid.
    /// - Returns: The API's answer in the form that goes to the browser.
    /// - Throws: Why there is no answer.
    func forward(_ call: ProxyCall, mayRenew: () throws(Problem) -> Void) async throws(Problem) -> OperationAnswer {
        var url = try UpstreamAddress.make(call.route, call.path, query: call.request.query)
        guard call.request.body.contentLength == 0 || call.route.takesBody(call.request.method) else {
            throw Problem(.malformed, "A call of this method has no body.")
        }
        var token = try await token(call)
        let body = try await body(call)
        // A body arrives at the caller's pace: by now the user may have signed out, or the token may be too old.
        if token != nil, !body.isEmpty { token = try await self.token(call, isUnderWay: true) }
        if let transaction = token?.transaction, transaction.isFor(call.target(url, body)) {
            url = UpstreamAddress.repeating(url, transaction: transaction.id)
        }
        var request = ClientRequest(call.request.method, url, fields: try fields.make(call))
        if let token { request.fields.set(try authorization(token, call)) } else { request.isAnonymous = true }
        request.purpose = .route
        request.body = body
        let response = try await send(request, call)
        guard let token, let demand = UpstreamDemand(response, redirect: redirect) else {
            return try await answer(response, to: request, call, with: token)
        }
        if case .invalidToken = demand {
            try mayRenew()
            return try await again(request, call, token)
        }
        return try await answer(demand, to: response, of: request, call, with: token)
    }

    /// The token for the call; nil on a route that needs none.
    private func token(_ call: ProxyCall, isUnderWay: Bool = false) async throws(Problem) -> RouteToken? {
        do {
            return try await backend.token(
                for: call.definition, account: call.account, isUnderWay: isUnderWay, call.context)
        } catch {
            throw await problem(error, call)
        }
    }

    /// The problem of an operation's error, for the caller of an API.
    ///
    /// Only pages of `/bff` handle a cookie rotation: a call that was overtaken by one, caused by another tab for
    /// instance, is answered with a problem that asks for a retry, which carries the new cookie.
    private func problem(_ error: BFFError, _ call: ProxyCall) async -> Problem {
        guard error == .sessionChanged else {
            var problem = Problem(error)
            problem.reason = await backend.ends.reason(of: error, nil, call.context)
            return problem
        }
        var problem = Problem(.interrupted, "The session cookie is being replaced. Repeat the call.")
        problem.retryAfter = .seconds(1)
        return problem
    }

    private func body(_ call: ProxyCall) async throws(Problem) -> [UInt8] {
        var refusal: CallerShares.Refusal?
        let body: [UInt8]
        do {
            body = try await call.request.body.collect(upTo: call.route.settings.bodyLimit) { count in
                refusal = call.incoming.share?.keep(count)
                return refusal == nil
            }
        } catch {
            throw Problem(error)
        }
        guard let refusal else { return body }
        _ = call.incoming.share?.keep(0)
        throw Problem(refusal)
    }

    /// Renews a token that the API called invalid, once, and repeats the call where that does no harm.
    private func again(
        _ request: ClientRequest, _ call: ProxyCall, _ refused: RouteToken
    ) async throws(Problem) -> OperationAnswer {
        let token: RouteToken
        do {
            token = try await backend.renewedToken(after: refused, for: call.definition, call.context)
        } catch {
            throw await problem(error, call)
        }
        guard call.route.mayReplay(request.method) else {
            var problem = Problem(.interrupted, "The API called the token invalid; it was renewed. Repeat the call.")
            problem.retryAfter = .seconds(1)
            throw problem
        }
        var request = request
        request.fields.set(try authorization(token, call))
        let response = try await send(request, call)
        guard let demand = UpstreamDemand(response, redirect: redirect) else {
            return try await answer(response, to: request, call, with: token)
        }
        return try await answer(demand, to: response, of: request, call, with: token)
    }

    /// Answers a call whose response demands something of the token.
    private func answer(
        _ demand: UpstreamDemand, to response: ClientResponse, of request: ClientRequest, _ call: ProxyCall,
        with token: RouteToken
    ) async throws(Problem) -> OperationAnswer {
        switch demand {
        case .stepUp(let challenge):
            throw await problem(await stepUp(challenge, request, call), call)
        case .scope(let challenge):
            let error = await stepUp(challenge, request, call)
            // A scope that no client here can get is a matter between the API and its callers.
            guard error == .stepUpUnavailable else { throw await problem(error, call) }
            return try passed(response, request, call)
        case .other where response.status == 403:
            return try passed(response, request, call)
        case .invalidToken, .other:
            log(call, "An API refuses the server's token", [:])
            throw Problem(.upstreamFailed, "The API refuses the session's token.")
        }
    }

    private func stepUp(
        _ challenge: ReceivedChallenge, _ request: ClientRequest, _ call: ProxyCall
    ) async -> BFFError {
        await backend.stepUp(
            for: challenge, call.definition, account: call.account, target: call.target(request.url, request.body),
            call.context)
    }

    /// Answers a call whose response demands nothing of the token.
    private func answer(
        _ response: ClientResponse, to request: ClientRequest, _ call: ProxyCall, with token: RouteToken?
    ) async throws(Problem) -> OperationAnswer {
        guard response.status != 401 else {
            log(call, "An API asks for a token on a route without one", [:])
            throw Problem(.upstreamFailed, "The API asks for a token, and the route is configured without one.")
        }
        if let token, token.hasAttempts, response.status < 400 {
            let target = call.target(request.url, request.body)
            await backend.passed(call.definition, account: call.account, target: target, call.context)
        }
        return try passed(response, request, call)
    }

    // MARK: Requests to the API

    /// The token as a header field; a token that fits into none comes from a provider that breaks the protocol.
    private func authorization(_ token: RouteToken, _ call: ProxyCall) throws(Problem) -> HTTPField {
        do {
            return try HTTPField(.authorization, checking: "Bearer " + token.accessToken.reveal())
        } catch {
            log(call, "A token fits into no header field", ["client": .string(token.instance.client)])
            throw Problem(.providerUnavailable)
        }
    }

    /// Calls the API in one of the route's slots; a call that still waits for its caller's body holds none.
    private func send(_ request: ClientRequest, _ call: ProxyCall) async throws(Problem) -> ClientResponse {
        guard call.route.slots.take(of: call.route.settings.concurrency) else {
            var problem = Problem(.upstreamBusy)
            problem.retryAfter = .seconds(1)
            throw problem
        }
        defer { call.route.slots.giveBack() }
        do {
            return try await transport.send(request, deadline: call.context.deadline)
        } catch {
            switch error {
            case .notReached(.refusedLocally):
                var problem = Problem(.upstreamBusy)
                problem.retryAfter = .seconds(1)
                throw problem
            case .notReached(.timeout), .noUsableAnswer(.timeout):
                log(call, "An API does not answer in time", [:])
                throw Problem(.upstreamTimeout)
            case .notReached(.invalidRequest), .noUsableAnswer(.invalidRequest):
                throw Problem(.malformed)
            case .notReached(let failure):
                log(call, "An API cannot be reached", ["problem": .string(failure.rawValue)])
                throw Problem(.upstreamUnavailable)
            case .noUsableAnswer(let failure):
                log(call, "An API gives no usable answer", ["problem": .string(failure.rawValue)])
                throw Problem(.upstreamFailed)
            case .cancelled:
                // A safe method may be retried; any other one may have had an effect.
                guard !request.method.isSafe else { throw Problem(BFFError.cancelled) }
                var problem = Problem(.upstreamFailed, "The call was broken off; whether the API acted is unknown.")
                problem.isBrokenOff = true
                throw problem
            }
        }
    }

    // MARK: Responses to the browser

    private func passed(
        _ response: ClientResponse, _ request: ClientRequest, _ call: ProxyCall
    ) throws(Problem) -> OperationAnswer {
        let settings = call.route.settings
        var headers = ResponseFields.make(response, settings)
        if !settings.vary.isEmpty {
            headers.append(ResponseHeader("Vary", settings.vary.map(\.rawName).joined(separator: ", ")))
        }
        let location = response.fields[values: .location]
        if response.isRedirect, response.status != 304 {
            guard location.count == 1, let mapped = Redirects.mapped(location[0], request.url, settings) else {
                log(call, "An API redirects out of its route", ["status": .stringConvertible(response.status)])
                throw Problem(.upstreamFailed, "The API redirects out of its route.")
            }
            headers.append(ResponseHeader("Location", mapped))
        } else if location.count == 1, let mapped = Redirects.mapped(location[0], request.url, settings) {
            headers.append(ResponseHeader("Location", mapped))
        }
        let length = headers.reduce(0) { $0 + $1.name.utf8.count + $1.withValueBytes(\.count) + 4 }
        guard length <= ResponseFields.limit else {
            log(call, "An API sends too many header fields", [:])
            throw Problem(.upstreamFailed)
        }
        guard 200..<600 ~= response.status, response.status != 407 else { throw Problem(.upstreamFailed) }
        return .passed(status: response.status, headers, Self.body(response, request))
    }

    /// The body of the response; for HEAD only the length that the body of a GET would have.
    private static func body(_ response: ClientResponse, _ request: ClientRequest) -> ResponseBody {
        guard request.method == .head else { return response.body.isEmpty ? .none : .bytes(response.body) }
        let length = response.fields[.contentLength].flatMap { Int($0) }
        return .stream(length: length) { _ in }
    }

    /// Logs a warning, without path, query or text from the API.
    private func log(_ call: ProxyCall, _ message: Logger.Message, _ facts: Logger.Metadata) {
        var metadata = facts
        metadata["request.id"] = .string(call.incoming.id)
        metadata["http.route"] = .string(call.route.settings.path)
        logger.warning(message, metadata: metadata)
    }
}
