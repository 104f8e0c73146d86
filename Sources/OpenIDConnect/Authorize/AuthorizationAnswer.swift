internal import Basics
internal import Discovery
internal import HTTPCore

/// What the authorization endpoint answers to a session, sorted out (docs/protocol.md, 'Answers to an authorization
/// request').
///
/// The redirect is never followed: the code would travel to the redirect URI's host.
struct AuthorizationAnswer {
    let request: AuthorizationRequest
    let redirectURI: String
    let metadata: ProviderMetadata
    let now: Timestamp

    /// Reads the code out of an answer after every check that stands before it.
    func code(in response: ClientResponse) throws(OpenIDError) -> Secret<String> {
        switch try redirect(in: response) {
        case .query(let parameters):
            try check(parameters)
            guard let code = parameters.single("code"), (1...2048).contains(code.utf8.count) else {
                throw .invalidResponse(check: "code")
            }
            return Secret(code)
        case .fragment(let parameters):
            try check(parameters)
            throw .invalidResponse(check: "response_mode")
        case .unreadable: throw .invalidResponse(check: "location")
        case .astray: throw .invalidResponse(check: "redirect_uri")
        case .elsewhere: throw .loginRequired
        }
    }

    /// The redirect of an answer; every other answer is an error of its own, and none ends the session.
    private func redirect(in response: ClientResponse) throws(OpenIDError) -> AuthorizationRedirect {
        switch response.status {
        case 301, 302, 303, 307, 308:
            // Two fields would be joined by a comma, which no address of ours contains.
            guard response.fields[values: .location].count == 1, let location = response.fields[.location] else {
                throw .invalidResponse(check: "location")
            }
            return AuthorizationRedirect(location, redirectURI: redirectURI, state: request.state)
        case 200 where isPage(response):
            throw .consentRequired
        case 429, 503:
            throw .busy(retryAfter: response.retryAfter(now))
        case 400..<500:
            let code = OAuthErrorBody.code(in: response)
            // Without a session some answer 401 in place of the login redirect.
            if response.status == 401, code != "invalid_client" { throw .loginRequired }
            let word = code.isEmpty && isPage(response) ? AuthorizationErrorPage.word(in: response.body) : code
            throw .rejected(code: word, status: response.status)
        default:
            throw .noUsableAnswer
        }
    }

    private func isPage(_ response: ClientResponse) -> Bool {
        let type = response.fields[.contentType].flatMap { MediaType(parsing: $0) }
        return type?.essence == "text/html" || type?.essence == "application/xhtml+xml"
    }

    private func check(_ parameters: QueryParameters) throws(OpenIDError) {
        try checkNoDuplicates(parameters)
        try checkState(parameters)
        try checkIssuer(parameters)
        try checkNoError(parameters)
    }

    /// RFC 6749 section 3.1.
    private func checkNoDuplicates(_ parameters: QueryParameters) throws(OpenIDError) {
        if parameters.firstRepeatedName != nil { throw .invalidResponse(check: "duplicate parameter") }
    }

    /// RFC 6749 section 10.12.
    private func checkState(_ parameters: QueryParameters) throws(OpenIDError) {
        guard let state = parameters.single("state"), state.isSameText(as: request.state) else {
            throw .invalidResponse(check: "state")
        }
    }

    /// RFC 9207: present or announced, it must be the issuer.
    private func checkIssuer(_ parameters: QueryParameters) throws(OpenIDError) {
        guard let issuer = parameters.single("iss") else {
            if metadata.announcesIssuerInRedirect { throw wrongIssuer(nil) }
            return
        }
        guard issuer.isSameText(as: metadata.issuer) else { throw wrongIssuer(issuer) }
    }

    private func wrongIssuer(_ found: String?) -> OpenIDError {
        .invalidResponse(check: "iss", Mismatch(expected: metadata.issuer, found: found))
    }

    /// RFC 6749 section 4.1.2.1, OpenID Connect Core 3.1.2.6.
    private func checkNoError(_ parameters: QueryParameters) throws(OpenIDError) {
        guard let error = parameters.single("error") else { return }
        switch error {
        case "login_required", "interaction_required", "account_selection_required": throw .loginRequired
        case "consent_required": throw .consentRequired
        case "temporarily_unavailable": throw .busy(retryAfter: nil)
        case "server_error": throw .noUsableAnswer
        default: throw .rejected(code: OAuthErrorBody.printable(error), status: 302)
        }
    }
}

extension ClientResponse {
    /// How long the provider asks us to wait (RFC 9110 section 10.2.3); nil when it does not say.
    func retryAfter(_ now: Timestamp) -> Duration? {
        fields[.retryAfter].flatMap { RetryAfter.parse($0, now: now) }
    }
}
