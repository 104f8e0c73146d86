internal import Basics
internal import HTTPCore
internal import OpenIDConnect
internal import Orchestrate

/// An authorization that goes to AM without a browser, and AM's answer sorted out (docs/protocol.md, 'Authorization with a
/// session' and 'Answers to an authorization request').
///
/// The redirect is never followed: the code would travel to the redirect URI's host.
struct AuthorizeCall: Sendable {
    let client: OpenIDClient
    let authorization: Authorization
    /// What the parameters were pushed for (RFC 9126 section 4); nil where they travel with the request.
    let pushed: String?
    let now: Timestamp

    /// Makes a new authorization, and pushes it where the settings say so or AM requires it.
    ///
    /// - Throws: Why there is none, or why it could not be pushed; no authorization was sent then.
    init(
        _ client: OpenIDClient, _ options: AuthorizeOptions, now: Timestamp, deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) {
        let authorization = try await client.authorization(options, deadline: deadline)
        try await self.init(client, authorization, now: now, deadline: deadline)
    }

    /// Pushes an authorization where the settings say so or AM requires it.
    init(
        _ client: OpenIDClient, _ authorization: Authorization, now: Timestamp, deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) {
        self.client = client
        self.authorization = authorization
        self.now = now
        for pair in authorization.parameters.pairs { try Self.checkKeepsSession(pair.name, pair.value) }
        pushed = try await client.pushWhereNeeded(authorization, deadline: deadline)
    }

    /// The parameters of the request: of a pushed one the client and where it was pushed to.
    private var parameters: QueryParameters {
        guard let pushed else { return authorization.allParameters }
        var parameters = QueryParameters()
        parameters.append("client_id", authorization.clientID)
        parameters.append("request_uri", pushed)
        return parameters
    }

    /// Sends the authorization with a session, in a header of the cookie's name and as that cookie.
    ///
    /// - Throws: `.loginRequired` for the login page; every other answer that is none to the redirect URI is an error of its
    ///   own, and none ends the session.
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

    /// Sends the authorization again as the form of the consent page, with the user's consent in it (docs/protocol.md,
    /// 'Answers to an authorization request').
    ///
    /// - Throws: As `answer(with:cookieName:deadline:)`; `.consentRequired` where the page comes again.
    func answerOfConsent(
        with session: SSOSession, cookieName: String, deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) -> AuthorizationAnswer {
        // What was pushed is good for one request.
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

    /// Sends the authorization as of somebody who has no session.
    func answerWithoutSession(deadline: ContinuousClock.Instant) async throws(OpenIDError) -> AuthorizationAnswer {
        try await send(request, deadline)
    }

    /// `prompt=login` and its like, and `max_age`, end the session that the request stands on.
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
            // Two fields would be joined by a comma, which no address of ours contains.
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
            // Without a session some answer 401 in place of the login redirect.
            // rule: a 401 of authorize wants a sign-in
            if response.status == 401, code != "invalid_client" { throw .loginRequired }
            let word = code.isEmpty && isPage(response) ? AuthorizeErrorPage.word(in: response.body) : code
            // AM refuses by JSON, or by a page with 400; another page is a gateway's.
            if word.isEmpty, response.status != 400, isPage(response) { throw .noUsableAnswer }
            throw .rejected(code: word, status: response.status)
        default:
            throw .noUsableAnswer
        }
    }

    /// True for a page for people, which AM sends where client or redirect URI are wrong.
    private func isPage(_ response: ClientResponse) -> Bool {
        let type = response.fields[.contentType].flatMap { MediaType(parsing: $0) }
        return type?.essence == "text/html" || type?.essence == "application/xhtml+xml"
    }
}
