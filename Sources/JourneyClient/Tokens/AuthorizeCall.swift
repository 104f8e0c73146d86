internal import Basics
internal import HTTPCore
internal import OpenIDConnect
internal import Orchestrate

/// An authorization request to AM without a browser, and the classification of AM's answer.
///
/// See docs/protocol.md, 'Authorization with a session' and 'Answers to an authorization request'. The redirect is
/// never followed, because the code would reach the redirect URI's host.
struct AuthorizeCall: Sendable {
    let client: OpenIDClient
    let authorization: Authorization
    /// The `request_uri` of the pushed parameters (RFC 9126 section 4); nil when the parameters are sent in the
    /// request.
    let pushed: String?
    let now: Timestamp

    /// Makes a new authorization, and pushes it if the settings say so or AM requires it.
    ///
    /// - Throws: The error of making or pushing the authorization; no authorization request was sent then.
    init(
        _ client: OpenIDClient, _ options: AuthorizeOptions, now: Timestamp, deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) {
        let authorization = try await client.authorization(options, deadline: deadline)
        try await self.init(client, authorization, now: now, deadline: deadline)
    }

    /// Pushes an authorization if the settings say so or AM requires it.
    init(
        _ client: OpenIDClient, _ authorization: Authorization, now: Timestamp, deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) {
        self.client = client
        self.authorization = authorization
        self.now = now
        for pair in authorization.parameters.pairs { try Self.checkKeepsSession(pair.name, pair.value) }
        pushed = try await client.pushWhereNeeded(authorization, deadline: deadline)
    }

    /// The parameters of the request; for a pushed authorization only `client_id` and `request_uri`.
    private var parameters: QueryParameters {
        guard let pushed else { return authorization.allParameters }
        var parameters = QueryParameters()
        parameters.append("client_id", authorization.clientID)
        parameters.append("request_uri", pushed)
        return parameters
    }

    /// Sends the authorization with a session, in the header and the cookie of its name.
    ///
    /// - Throws: `.loginRequired` for the login page; a specific error for every other answer that does not go to the
    ///   redirect URI. None of them ends the session.
    func answer(
        with session: SSOSession, cookieName: String, deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) -> AuthorizationAnswer {
        // rule: an empty session asks for no tokens
        guard !session.value.reveal().isEmpty else { throw .loginRequired }
        // rule: a session that asks for tokens fits into a cookie
        guard CookieHeader.isValue(session.value.reveal()) else { throw .invalidResponse(check: "session") }
        var request = request
        request.carry(session, as: cookieName)
        return try await send(request, deadline)
    }

    /// Sends the authorization again as the form of the consent page, with the user's consent.
    ///
    /// See docs/protocol.md, 'Answers to an authorization request'.
    ///
    /// - Throws: The errors of `answer(with:cookieName:deadline:)`; `.consentRequired` when AM shows the page again.
    func answerOfConsent(
        with session: SSOSession, cookieName: String, deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) -> AuthorizationAnswer {
        // A pushed authorization can be used for one request only.
        let again = try await AuthorizeCall(client, authorization, now: now, deadline: deadline)
        var form = again.parameters
        form.append("decision", "allow")
        form.append("csrf", session.value.reveal())
        var request = Request(authorization.endpoint)
        request.form(form)
        request.setHeader(name: "Accept-API-Version", value: JourneyModuleSettings.authenticateVersion)
        request.carry(session, as: cookieName)
        return try await send(request, deadline)
    }

    /// Sends the authorization without a session.
    func answerWithoutSession(deadline: ContinuousClock.Instant) async throws(OpenIDError) -> AuthorizationAnswer {
        try await send(request, deadline)
    }

    /// Refuses `max_age` and every `prompt` other than `none`, because they end the session of the request.
    private static func checkKeepsSession(_ name: String, _ value: String) throws(OpenIDError) {
        // rule: a session is not ended by a parameter
        guard name != "max_age", name != "prompt" || value == "none" else {
            throw .configuration("the parameter \(name) is not sent with a session; a forced sign-in does its work")
        }
    }

    private var request: Request {
        var request = Request(authorization.endpoint)
        if authorization.method == .post { request.form(parameters) } else { request.parameters = parameters }
        request.setHeader(name: "Accept-API-Version", value: JourneyModuleSettings.authenticateVersion)
        return request
    }

    private func send(
        _ request: Request, _ deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) -> AuthorizationAnswer {
        let wire: ClientRequest
        do { wire = try request.clientRequest(now: now) } catch {
            throw .configuration("a header field or cookie of the authorization cannot be sent")
        }
        let response = try await client.send(wire, deadline: deadline)
        do { return try answer(in: response) } catch {
            if error == .noUsableAnswer { client.noteUnusable(response, to: wire) }
            throw error
        }
    }

    private func answer(in response: ClientResponse) throws(OpenIDError) -> AuthorizationAnswer {
        switch response.status {
        case 301, 302, 303, 307, 308:
            // Two `Location` fields would be joined by a comma, which none of our redirect URIs contains.
            // rule: a redirect has one Location
            guard response.fields[values: .location].count == 1, let location = response.fields[.location] else {
                throw .invalidResponse(check: "location")
            }
            switch AuthorizeRedirect(location, for: authorization) {
            case .answer(let answer): return answer
            case .unreadable: throw .invalidResponse(check: "location")
            case .astray: throw .invalidResponse(check: "redirect_uri")
            case .login: throw .loginRequired
            case .elsewhere: throw .noUsableAnswer
            }
        case 200 where ConsentPage.isOne(response.body):
            throw .consentRequired
        case 429, 503:
            throw .busy(retryAfter: response.retryAfter(now))
        case 400..<500:
            if response.status == 408 { throw .noUsableAnswer }
            let code = OAuthErrorBody.code(in: response)
            // Without a session some versions of AM answer 401 instead of the login redirect.
            // rule: a 401 of authorize wants a sign-in
            if response.status == 401, code != "invalid_client" { throw .loginRequired }
            let word = code.isEmpty && isPage(response) ? AuthorizeErrorPage.word(in: response.body) : code
            // AM refuses by JSON, or by a page with status 400; any other page is a gateway's.
            if word.isEmpty, response.status != 400, isPage(response) { throw .noUsableAnswer }
            throw .rejected(code: word, status: response.status)
        default:
            throw .noUsableAnswer
        }
    }

    /// True if the answer is a web page, which AM sends when the client or the redirect URI is wrong.
    private func isPage(_ response: ClientResponse) -> Bool {
        let type = response.fields[.contentType].flatMap { MediaType(parsing: $0) }
        return type?.essence == "text/html" || type?.essence == "application/xhtml+xml"
    }
}
