internal import Basics
internal import Discovery
internal import HTTPCore
internal import HTTPTypes
internal import JSON

/// What the authorization endpoint answers to a session, sorted out (protocol/oidc.md 3.2 to 3.4).
///
/// The redirect is never followed: the code would travel to the redirect URI's host.
enum AuthorizationAnswer {
    /// Reads the code out of an answer after every check that stands before it.
    static func code(
        in response: ClientResponse, to request: AuthorizationRequest, _ settings: OpenIDClientSettings,
        _ metadata: ProviderMetadata
    ) throws(OpenIDError) -> Secret<String> {
        let parameters = try redirectParameters(in: response, settings.redirectURI)
        try checkNoDuplicates(parameters)
        try checkState(parameters, request.state)
        try checkIssuer(parameters, metadata)
        try checkNoError(parameters)
        guard let code = parameters.single("code"), (1...2048).contains(code.utf8.count) else {
            throw .invalidResponse(check: "code")
        }
        return Secret(code)
    }

    /// The parameters of a redirect to our own redirect URI; every other answer is an error of its own.
    private static func redirectParameters(
        in response: ClientResponse, _ redirectURI: String
    ) throws(OpenIDError) -> QueryParameters {
        switch response.status {
        case 302, 303, 301, 307, 308:
            guard let location = response.fields[.location] else { throw .invalidResponse(check: "location") }
            guard let rest = tail(of: location, after: redirectURI) else { throw .loginRequired }
            guard let parameters = QueryParameters(parsing: rest, limit: 64) else {
                throw .invalidResponse(check: "location")
            }
            return parameters
        case 200..<300:
            throw .consentRequired
        case 429, 503:
            throw .busy(retryAfter: RetryAfter.read(response))
        case 400..<500:
            throw .rejected(code: OAuthErrorBody.code(in: response), status: response.status)
        default:
            throw .noUsableAnswer
        }
    }

    /// The query or fragment of a location that is exactly the redirect URI before it; works for custom schemes too.
    private static func tail(of location: String, after redirectURI: String) -> Substring? {
        guard location.hasPrefix(redirectURI) else { return nil }
        let rest = location.dropFirst(redirectURI.count)
        // A registered redirect URI may have a query of its own, which ours then continues.
        let marks: [Character] = redirectURI.contains("?") ? ["&", "#"] : ["?", "#"]
        guard let mark = rest.first else { return "" }
        guard marks.contains(mark) else { return nil }
        let query = rest.dropFirst()
        return mark == "#" ? query : query.prefix { $0 != "#" }
    }

    private static func checkNoDuplicates(_ parameters: QueryParameters) throws(OpenIDError) {
        if parameters.firstRepeatedName != nil { throw .invalidResponse(check: "duplicate parameter") }
    }

    private static func checkState(_ parameters: QueryParameters, _ state: String) throws(OpenIDError) {
        guard parameters.single("state") == state else { throw .invalidResponse(check: "state") }
    }

    /// RFC 9207: present or announced, it must be the issuer.
    private static func checkIssuer(
        _ parameters: QueryParameters, _ metadata: ProviderMetadata
    ) throws(OpenIDError) {
        guard let issuer = parameters.single("iss") else {
            if metadata.announcesIssuerInRedirect { throw .invalidResponse(check: "iss") }
            return
        }
        guard issuer == metadata.issuer else { throw .invalidResponse(check: "iss") }
    }

    private static func checkNoError(_ parameters: QueryParameters) throws(OpenIDError) {
        guard let error = parameters.single("error") else { return }
        switch error {
        case "login_required", "interaction_required", "account_selection_required": throw .loginRequired
        case "consent_required": throw .consentRequired
        case "temporarily_unavailable": throw .busy(retryAfter: nil)
        default: throw .rejected(code: OAuthErrorBody.printable(error), status: 302)
        }
    }
}
