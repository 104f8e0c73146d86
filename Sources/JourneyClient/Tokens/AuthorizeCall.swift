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
    let now: Timestamp

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
        var form = authorization.allParameters
        form.append("decision", "allow")
        form.append("csrf", session.value.reveal())
        var request = Request(authorization.endpoint)
        request.form(form)
        request.header(name: "Accept-API-Version", value: JourneyModuleSettings.authenticateVersion)
        request.carry(session, as: cookieName)
        return try await send(request, deadline)
    }

    /// Sends the authorization as of somebody who has no session.
    func answerWithoutSession(deadline: ContinuousClock.Instant) async throws(OpenIDError) -> AuthorizationAnswer {
        try await send(request, deadline)
    }

    /// `prompt=login` and its like, and `max_age`, end the session that the request stands on.
    private func checkKeepsSession(_ name: String, _ value: String) throws(OpenIDError) {
        // rule: a session is not ended by a parameter
        guard name != "max_age", name != "prompt" || value == "none" else {
            throw .configuration("the parameter \(name) is not sent with a session; a forced sign-in does its work")
        }
    }

    private var request: Request {
        var request: Request
        switch authorization.request {
        case .get(let address): request = Request(address)
        case .post(let address, let form):
            request = Request(address)
            request.form(form)
        }
        request.header(name: "Accept-API-Version", value: JourneyModuleSettings.authenticateVersion)
        return request
    }

    private func send(
        _ request: Request, _ deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) -> AuthorizationAnswer {
        for pair in authorization.parameters.pairs { try checkKeepsSession(pair.name, pair.value) }
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
