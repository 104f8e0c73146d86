internal import Basics
internal import HTTPCore
internal import HTTPServer

/// Authenticates the calling client as OpenAM does: id and secret of Basic are not form-decoded.
///
/// Refuses by docs/simulator.md, 'The dialect `openam`'.
struct OpenAMClientCheck: Sendable {
    /// True if a client must authenticate by its registered method.
    let checksMethod: Bool
    /// True if a refusal has a challenge that names the realm.
    let challenges: Bool

    /// The check of the token endpoint.
    static let strict = OpenAMClientCheck(checksMethod: true, challenges: true)

    func client(
        of call: SimulatedCall, _ form: QueryParameters, _ services: OAuthServices
    ) throws(ClientCheck.RefusalError) -> SimulatedClient {
        guard let field = call.headers.values("authorization").first else { return try named(form, services) }
        guard form.all("client_id").isEmpty, form.all("client_secret").isEmpty else {
            throw Self.refusal(400, "invalid_request", "Client authentication failed")
        }
        let header = ResponseHeader("WWW-Authenticate", "Basic realm=\"\(services.settings.realmName)\"")
        guard let (id, secret) = Self.credentials(field), let client = services.client(id), client.secret == secret
        else {
            throw Self.refusal(401, "invalid_client", "Client authentication failed", challenges ? [header] : [])
        }
        guard !checksMethod || client.authentication == .basic else { throw Self.wrongMethod(401, [header]) }
        return client
    }

    private func named(
        _ form: QueryParameters, _ services: OAuthServices
    ) throws(ClientCheck.RefusalError) -> SimulatedClient {
        let failed = Self.refusal(400, "invalid_client", "Client authentication failed")
        guard let id = form.single("client_id"), let client = services.client(id) else { throw failed }
        guard !checksMethod || client.authentication != .basic else { throw Self.wrongMethod(400, []) }
        guard client.secret == form.single("client_secret") else { throw failed }
        return client
    }

    /// Splits the credentials at the first colon.
    private static func credentials(_ field: String) -> (String, String)? {
        let halves = field.split(separator: " ", maxSplits: 1)
        guard halves.count == 2, halves[0].lowercased() == "basic", let bytes = Base64.decode(halves[1]),
            let text = String(validating: bytes, as: UTF8.self), let colon = text.firstIndex(of: ":")
        else { return nil }
        return (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }

    private static func wrongMethod(_ status: Int, _ headers: [ResponseHeader]) -> ClientCheck.RefusalError {
        refusal(status, "invalid_client", "Invalid authentication method for accessing this endpoint.", headers)
    }

    private static func refusal(
        _ status: Int, _ code: String, _ description: String, _ headers: [ResponseHeader] = []
    ) -> ClientCheck.RefusalError {
        ClientCheck.RefusalError(response: .oauthError(status, code, description, headers))
    }
}
