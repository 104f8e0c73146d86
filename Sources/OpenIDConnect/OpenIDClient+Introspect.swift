internal import Basics
internal import Discovery
internal import HTTPCore
internal import JOSE
internal import JSON
internal import Logs

/// The result of introspecting an access token that only the provider can read.
enum IntrospectedToken: Sendable {
    /// The token is active and was issued to this client; these are its claims.
    case claims(JWTClaims)
    /// The token is not introspected, or it is not an active access token of this client.
    case nothing
    /// The provider gave no usable answer.
    case unanswered
}

/// Introspection of access tokens, with the client's own credentials (RFC 7662).
extension OpenIDClient {
    private static let patience = Duration.seconds(5)

    /// Introspects an access token that only the provider can read: an opaque token, or a JWT with a MAC.
    ///
    /// Without this the token's authentication level would be unknown. Never fails: the tokens are valid whatever the
    /// result is. A missing answer, within five seconds, leaves a warning in the log.
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

    /// The claims of an active answer, if it is about an access token of this client.
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

    /// Introspects a made-up token, to test the endpoint.
    ///
    /// - Parameter deadline: Gives up at this instant.
    /// - Throws: Nothing when the provider says that the token is not active, or not a token. `.invalidClient` when the
    ///   provider does not answer this client; `.rejected` with status 404 when the endpoint does not exist, whatever
    ///   the body is; otherwise why the provider could not be asked.
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
            // The refusal is about the token, unless its code names the client.
            case .rejected(_, status: 400): return
            case .rejected(_, status: 401), .rejected(_, status: 403): throw .invalidClient
            case let refusal: throw refusal
            }
        default: throw .noUsableAnswer
        }
    }
}
