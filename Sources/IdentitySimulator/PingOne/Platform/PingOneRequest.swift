internal import Basics
internal import HTTPCore
internal import HTTPServer

/// The checked parameters of an authorization request for a flow.
///
/// Refuses by docs/protocol.md, 'DaVinci'.
/// Refuses by RFC 6749 section 4.1.2.1.
/// Refuses by RFC 7636 section 4.4.1.
struct PingOneRequest: Sendable {
    let application: SimulatedApplication
    let redirectURI: String
    let state: String?
    let scopes: [String]
    let nonce: String?
    let challenge: String
    let prompts: Set<String>
    let maxAge: Int64?
    let policy: String
    let loginHint: String?

    private typealias RefusalError = ClientCheck.RefusalError

    /// Reads and checks a request.
    ///
    /// - Throws: The response of PingOne to a request that it refuses.
    init(_ parameters: QueryParameters, _ services: OAuthServices) throws(ClientCheck.RefusalError) {
        func invalid(_ target: String, _ message: String) -> RefusalError {
            RefusalError(response: .pingError(400, "INVALID_DATA", message, target: target))
        }
        if let name = parameters.firstRepeatedName { throw invalid(name, "must be there once") }
        guard let id = parameters.single("client_id"),
            let application = services.settings.pingOne.applications.first(where: { $0.client.id == id })
        else { throw Self.signOnPage("invalid_client") }
        guard let uri = parameters.single("redirect_uri"), services.hasRedirectURI(uri, application.client) else {
            throw invalid("redirect_uri", "Redirect URI mismatch")
        }
        guard parameters.single("response_mode") == "pi.flow" else { throw Self.signOnPage("invalid_request") }
        guard parameters.single("response_type") == "code" else { throw invalid("response_type", "must be code") }
        guard let challenge = parameters.single("code_challenge"), challenge.utf8.count == 43,
            Base64URL.decode(challenge) != nil, parameters.single("code_challenge_method") == "S256"
        else { throw invalid("code_challenge", "PKCE with S256 is required") }
        let scopes = AuthorizeRequest.words(parameters.single("scope"))
        guard Set(scopes).isSubset(of: application.client.scopes), Set(scopes).count == scopes.count else {
            throw RefusalError(
                response: FlowAnswer.failed("invalid_scope", environment: services.settings.pingOne.environment),
                code: "invalid_scope")
        }
        let prompts = Set(AuthorizeRequest.words(parameters.single("prompt")))
        guard prompts.isSubset(of: ["none", "login", "select_account", "consent"]),
            !prompts.contains("none") || prompts.count == 1
        else { throw invalid("prompt", "Unknown prompt") }
        maxAge = parameters.single("max_age").flatMap { Int64($0) }
        guard parameters.all("max_age").isEmpty || maxAge ?? -1 >= 0 else { throw invalid("max_age", "No number") }
        let policies = AuthorizeRequest.words(parameters.single("acr_values"))
        // Several acr values are not tried in turn.
        guard policies.count <= 1, let policy = policies.first ?? application.policies.first,
            application.policies.contains(policy)
        else {
            throw RefusalError(
                response: .pingError(
                    400, "INVALID_REQUEST", "Invalid DV Flow Policy ID: \(policies.joined(separator: " "))"))
        }
        self.application = application
        redirectURI = uri
        state = parameters.single("state")
        self.scopes = scopes
        nonce = parameters.single("nonce")
        self.challenge = challenge
        self.prompts = prompts
        self.policy = policy
        loginHint = parameters.single("login_hint")
    }

    /// The OAuth error code for pushed parameters that cannot be authorized; nil if they can.
    ///
    /// `response_mode` may be missing: the authorization request may add it.
    static func pushCode(_ parameters: QueryParameters, _ services: OAuthServices) -> String? {
        var whole = parameters
        if whole.all("response_mode").isEmpty { whole.append("response_mode", "pi.flow") }
        do throws(ClientCheck.RefusalError) {
            _ = try PingOneRequest(whole, services)
            return nil
        } catch { return error.code }
    }

    /// The redirect to the page that shows an error.
    static func signOnPage(_ error: String) -> ClientCheck.RefusalError {
        ClientCheck.RefusalError(response: .redirect("https://apps.pingone.example/signon/?error=\(error)"))
    }
}
