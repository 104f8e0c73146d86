internal import Basics
internal import Discovery
internal import HTTPCore

extension OpenIDClient {
    /// Revokes tokens (RFC 7009): the refresh token, and the access token by itself.
    ///
    /// Revoking the refresh token should end its access tokens too; not every provider does that. Both are tried even
    /// if the first fails. Revoking again is harmless: unknown tokens count as revoked.
    ///
    /// - Parameters:
    ///   - tokens: The tokens to revoke.
    ///   - deadline: Gives up at this instant.
    /// - Throws: `.noRevocation` when the provider has no endpoint for it; `.busy`, `.noUsableAnswer` or `.notReached`
    ///   when the tokens may still be valid at the provider and a retry may help; `.invalidClient` when a retry helps
    ///   only after an operator has acted; `.rejected` when no retry helps; the first failure when both fail.
    public func revoke(_ tokens: TokenSet, deadline: ContinuousClock.Instant) async throws(OpenIDError) {
        let metadata = try await metadata(deadline: deadline)
        try await revoke(tokens.refreshToken, tokens.accessToken, metadata, deadline: deadline)
    }

    func revoke(
        _ refreshToken: Secret<String>?, _ accessToken: Secret<String>, _ metadata: ProviderMetadata,
        deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) {
        guard let endpoint = metadata.revocationEndpoint else { throw .noRevocation }
        var failure: OpenIDError?
        if let refreshToken {
            do { try await revoke(refreshToken, "refresh_token", endpoint, deadline) } catch { failure = error }
        }
        do {
            try await revoke(accessToken, "access_token", endpoint, deadline)
        } catch .rejected(code: "unsupported_token_type", _) where refreshToken != nil && failure == nil {
            // The grant is revoked, so it does not matter that the access token cannot be revoked by itself.
        } catch {
            failure = failure ?? error
        }
        if let failure { throw failure }
    }

    /// Revokes a made-up token, to test the endpoint.
    ///
    /// - Parameter deadline: Gives up at this instant.
    /// - Throws: Nothing when the provider accepts the call. `.rejected` with status 404 when the endpoint does not
    ///   exist, whatever the body is: an operator has to correct the address. Otherwise like `revoke(_:deadline:)`.
    public func tryRevocation(deadline: ContinuousClock.Instant) async throws(OpenIDError) {
        let metadata = try await metadata(deadline: deadline)
        guard let endpoint = metadata.revocationEndpoint else { throw .noRevocation }
        try await revoke(Secret(Self.madeUp), "access_token", endpoint, deadline, isTrial: true)
    }

    private func revoke(
        _ token: Secret<String>, _ hint: String, _ endpoint: WebURL, _ deadline: ContinuousClock.Instant,
        isTrial: Bool = false
    ) async throws(OpenIDError) {
        var form = QueryParameters()
        form.append("token", token.reveal())
        form.append("token_type_hint", hint)
        let request = try authenticated(endpoint, form)
        let response = try await send(request, deadline: deadline)
        switch response.status {
        case 200..<300:
            // An HTML page comes from a gateway in front of the provider or from its sign-in, so the token is not
            // revoked.
            guard response.body.isEmpty || !Self.isPage(response) else {
                noteUnusable(response, to: request)
                throw .noUsableAnswer
            }
        case 429, 503:
            throw .busy(retryAfter: response.retryAfter(time.now()))
        case 404 where isTrial: throw .rejected(code: OAuthErrorBody.code(in: response), status: 404)
        case 400..<500:
            switch OpenIDError(refusal: response) {
            // Some providers use another error code; the status is common to all.
            case .rejected(_, status: 401): throw .invalidClient
            // A fault of the provider, in spite of the status: the token may still be valid.
            case .rejected(code: "server_error", _): throw .noUsableAnswer
            case let refusal: throw refusal
            }
        default:
            noteUnusable(response, to: request)
            throw .noUsableAnswer
        }
    }

    private static func isPage(_ response: ClientResponse) -> Bool {
        response.fields[.contentType].flatMap { MediaType(parsing: $0) }?.essence == "text/html"
    }
}
