internal import Basics
internal import HTTPCore

/// The checked parameters of an authorization request.
///
/// Refuses by RFC 6749 section 4.1.2.1.
/// Refuses by RFC 7636 section 4.4.1.
/// Refuses by OpenID Connect Core 3.1.2.6.
struct AuthorizeRequest: Sendable {
    let client: SimulatedClient
    let redirectURI: String
    let state: String?
    let scopes: [String]
    let nonce: String?
    let challenge: String
    let prompts: Set<String>
    let maxAge: Int64?
    let acrValues: [String]

    /// The client and redirect URI, which must be known before a redirect is safe.
    struct Target: Sendable {
        let client: SimulatedClient
        let redirectURI: String
        let state: String?
    }

    /// Checks client and redirect URI; their error is shown to the user and never sent by redirect (RFC 6749 section
    /// 4.1.2.1).
    static func target(_ parameters: QueryParameters, _ services: OAuthServices) throws(OAuthError) -> Target {
        guard let id = parameters.single("client_id"), let client = services.client(id),
            client.grantTypes.contains("authorization_code")
        else { throw OAuthError(code: "invalid_client", description: "Client authentication failed") }
        guard let uri = parameters.single("redirect_uri"), services.hasRedirectURI(uri, client) else {
            throw OAuthError(
                code: "redirect_uri_mismatch",
                description: "The redirection URI provided does not match a pre-registered value.")
        }
        return Target(client: client, redirectURI: uri, state: parameters.single("state"))
    }

    /// The OAuth error code for pushed parameters that cannot be authorized; nil if they can.
    static func pushCode(_ parameters: QueryParameters, _ services: OAuthServices) -> String? {
        do throws(OAuthError) {
            _ = try AuthorizeRequest(parameters, try target(parameters, services))
            return nil
        } catch { return error.code }
    }

    /// Reads the other parameters once client and redirect URI are known.
    init(_ parameters: QueryParameters, _ target: Target) throws(OAuthError) {
        func invalid(_ what: String) -> OAuthError { OAuthError(code: "invalid_request", description: what) }
        if let name = parameters.firstRepeatedName { throw invalid("Duplicate parameter \(name)") }
        guard parameters.single("response_type") == "code" else {
            throw OAuthError(code: "unsupported_response_type", description: "Only the response type code is supported")
        }
        guard parameters.single("response_mode") ?? "query" == "query" else {
            throw invalid("Unsupported response_mode")
        }
        guard let challenge = parameters.single("code_challenge"), challenge.utf8.count == 43,
            Base64URL.decode(challenge) != nil, parameters.single("code_challenge_method") == "S256"
        else { throw invalid("code_challenge with the method S256 is required") }
        let scopes = Self.words(parameters.single("scope"))
        guard Set(scopes).isSubset(of: target.client.scopes), Set(scopes).count == scopes.count else {
            throw .invalidScope
        }
        let prompts = Set(Self.words(parameters.single("prompt")))
        guard prompts.isSubset(of: ["none", "login", "consent"]), !prompts.contains("none") || prompts.count == 1 else {
            throw invalid("Invalid prompt")
        }
        var maxAge: Int64?
        if let text = parameters.single("max_age") {
            guard text.utf8.count <= 10, let seconds = Int64(text), seconds >= 0, !text.hasPrefix("+") else {
                throw invalid("Invalid max_age")
            }
            maxAge = seconds
        }
        client = target.client
        redirectURI = target.redirectURI
        state = target.state
        self.scopes = scopes
        nonce = parameters.single("nonce")
        self.challenge = challenge
        self.prompts = prompts
        self.maxAge = maxAge
        acrValues = Self.words(parameters.single("acr_values"))
    }

    static func words(_ text: String?) -> [String] {
        text?.split(separator: " ").map { String($0) } ?? []
    }
}
