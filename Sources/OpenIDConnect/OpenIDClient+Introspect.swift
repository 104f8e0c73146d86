public import Basics
internal import Discovery
internal import HTTPCore
internal import JSON

extension OpenIDClient {
    /// Asks the provider whether a token is good (RFC 7662), with this client's own proof of identity.
    ///
    /// - Parameters:
    ///   - token: Any token; it travels in the body.
    ///   - deadline: Gives up at this instant.
    /// - Returns: `active` as the provider says it.
    /// - Throws: `.configuration` when there is no endpoint for it; `.invalidClient`, `.rejected`, `.busy`,
    ///   `.noUsableAnswer`, `.notReached`.
    public func introspect(
        _ token: Secret<String>, deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) -> Bool {
        guard let endpoint = try await metadata(deadline: deadline).introspectionEndpoint else {
            throw .configuration("no introspection endpoint")
        }
        var form = QueryParameters()
        form.append("token", token.reveal())
        let response = try await send(authenticated(endpoint, form), deadline: deadline)
        switch response.status {
        case 200:
            guard let active = (try? JSONValue(parsing: response.body))?["active"]?.bool else { throw .noUsableAnswer }
            return active
        case 401:
            throw .invalidClient
        case 429, 503:
            throw .busy(retryAfter: response.retryAfter(time.now()))
        case 400..<500:
            let code = OAuthErrorBody.code(in: response)
            throw code == "invalid_client" ? .invalidClient : .rejected(code: code, status: response.status)
        default:
            throw .noUsableAnswer
        }
    }
}
