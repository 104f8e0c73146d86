internal import Basics
internal import Discovery
internal import HTTPCore
internal import JOSE
internal import JSON
internal import Logs

/// What a provider says of an access token that only it can read.
enum IntrospectedToken: Sendable {
    /// It is active and ours; these are its claims.
    case claims(JWTClaims)
    /// Nobody was to be asked about it, or it is not what it should be.
    case nothing
    /// There is no answer: the provider does not say now.
    case unanswered
}

/// Questions about access tokens, with the client's own credentials (RFC 7662).
extension OpenIDClient {
    private static let patience = Duration.seconds(5)

    /// Asks about an access token that only the provider can read: an opaque one, or one that is protected with a secret.
    ///
    /// Without this nothing would be known of its authentication level. Never fails: the tokens are good whatever becomes of the question. That it is not answered within five seconds leaves
    /// a warning.
    func ask(
        about accessToken: Secret<String>, _ metadata: ProviderMetadata, _ deadline: ContinuousClock.Instant
    ) async -> IntrospectedToken {
        // rule: tokens are asked about where the settings say so
        guard settings.introspectsTokens, let endpoint = metadata.introspectionEndpoint,
            Self.isReadByItsProviderAlone(accessToken.reveal())
        else { return .nothing }
        var status = "none"
        let limit = min(deadline, .now + Self.patience)
        if let response = try? await introspect(accessToken.reveal(), endpoint, limit) {
            if response.status == 200, let json = try? JSONValue(parsing: response.body), let object = json.object,
                let isActive = object["active"]?.bool
            {
                return isActive ? claims(object, metadata) : .nothing
            }
            status = "\(response.status)"
        }
        logger.warning(
            "The provider does not say what an access token stands for",
            metadata: ["client.id": "\(settings.clientID)", "http.status": "\(status)"])
        return .unanswered
    }

    /// The claims of an active answer that is about an access token of this client.
    private func claims(_ json: JSONObject, _ metadata: ProviderMetadata) -> IntrospectedToken {
        guard let claims = try? JWTClaims(json, otherAuthTime: settings.endpoints.authTimeClaim),
            // rule: facts of an access token come from its own issuer
            claims.issuer.map({ $0.isSameText(as: metadata.issuer) }) ?? true,
            // rule: facts of an access token are of this client
            claims.string("client_id").map({ $0.isSameText(as: settings.clientID) }) ?? true,
            // rule: facts of an access token are no refresh token's
            ["bearer", "access_token"].contains(claims.string("token_type")?.lowercased() ?? "bearer")
        else { return .nothing }
        return .claims(claims)
    }

    private static func isReadByItsProviderAlone(_ token: String) -> Bool {
        guard let token = try? JWS.parse(token) else { return true }
        return token.header.macAlgorithm != nil
    }

    private func introspect(
        _ token: String, _ endpoint: WebURL, _ deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) -> ClientResponse {
        var form = QueryParameters()
        form.append("token", token)
        form.append("token_type_hint", "access_token")
        return try await send(try authenticated(endpoint, form), deadline: deadline)
    }

    /// Asks about a token that nobody has.
    ///
    /// - Parameter deadline: Gives up at this instant.
    /// - Throws: Nothing when the provider says that it is not active, or that it is no token. `.invalidClient` when it does
    ///   not answer this client; `.rejected` with status 404 when nothing is there, whatever page says so; otherwise why it
    ///   could not be asked.
    /// - SeeAlso: RFC 7662.
    public func tryIntrospection(deadline: ContinuousClock.Instant) async throws(OpenIDError) {
        let metadata = try await metadata(deadline: deadline)
        guard let endpoint = metadata.introspectionEndpoint else { throw .configuration("no introspection endpoint") }
        let response = try await introspect(Self.madeUp, endpoint, deadline)
        switch response.status {
        case 200:
            guard let json = try? JSONValue(parsing: response.body), json["active"]?.bool == false else {
                throw .invalidResponse(check: "active")
            }
        case 429, 503: throw .busy(retryAfter: response.retryAfter(time.now()))
        case 404: throw .rejected(code: OAuthErrorBody.code(in: response), status: 404)
        case 400..<500:
            switch OpenIDError(refusal: response) {
            // About the token, unless it says that it is about us.
            case .rejected(_, status: 400): return
            case .rejected(_, status: 401), .rejected(_, status: 403): throw .invalidClient
            case let refusal: throw refusal
            }
        default: throw .noUsableAnswer
        }
    }
}
