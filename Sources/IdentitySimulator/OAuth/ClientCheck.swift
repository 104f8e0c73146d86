internal import Basics
internal import HTTPCore
internal import HTTPServer

/// Authenticates the calling client (RFC 6749 section 2.3).
///
/// Refuses by RFC 6749 section 2.3.
/// Refuses by RFC 6749 section 5.2.
/// Refuses by docs/protocol.md, 'Client authentication'.
enum ClientCheck {
    /// A refusal with its complete response.
    struct RefusalError: Error {
        let response: ServerResponse
        /// The OAuth error code, if the refusal has one.
        var code = "invalid_request"
    }

    /// The client of a form request, if it authenticated by its registered method.
    static func client(of call: SimulatedCall, _ form: QueryParameters, _ services: OAuthServices) throws(RefusalError)
        -> SimulatedClient
    {
        let fields = call.headers.values("authorization")
        guard fields.count <= 1 else { throw invalid("Only one Authorization field is allowed") }
        if let field = fields.first { return try basic(field, form, services) }
        guard let id = form.single("client_id"), let client = services.client(id) else { throw failed() }
        let secret = form.single("client_secret")
        switch client.authentication {
        case .none where secret == nil: return client
        case .post where secret != nil && secret == client.secret: return client
        default: throw failed()
        }
    }

    private static func basic(
        _ field: String, _ form: QueryParameters, _ services: OAuthServices
    ) throws(RefusalError) -> SimulatedClient {
        let realm = services.settings.realmName
        guard form.all("client_secret").isEmpty, form.all("client_assertion").isEmpty else {
            throw invalid("More than one way of client authentication")
        }
        guard let (id, secret) = credentials(field), let client = services.client(id), client.authentication == .basic,
            secret == client.secret
        else {
            throw RefusalError(
                response: .oauthError(
                    401, "invalid_client", "Client authentication failed",
                    [ResponseHeader("WWW-Authenticate", "Basic realm=\"\(realm)\"")]))
        }
        if let named = form.single("client_id"), named != id { throw invalid("Two different clients are named") }
        return client
    }

    /// Decodes id and secret, each form-encoded before they were joined.
    private static func credentials(_ field: String) -> (String, String)? {
        let halves = field.split(separator: " ", maxSplits: 1)
        guard halves.count == 2, halves[0].lowercased() == "basic", let bytes = Base64.decode(halves[1]),
            let text = String(validating: bytes, as: UTF8.self), let colon = text.firstIndex(of: ":"),
            let id = PercentEncoding.decode(text[..<colon], plusIsSpace: true),
            let secret = PercentEncoding.decode(text[text.index(after: colon)...], plusIsSpace: true)
        else { return nil }
        return (id, secret)
    }

    /// The refusal with AM's status; AM answers 400 if the request had no Authorization field.
    private static func failed() -> RefusalError {
        RefusalError(response: .oauthError(400, "invalid_client", "Client authentication failed"))
    }

    private static func invalid(_ what: String) -> RefusalError {
        RefusalError(response: .oauthError(400, "invalid_request", what))
    }
}
