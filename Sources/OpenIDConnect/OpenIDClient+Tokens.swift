internal import Basics
internal import Discovery
internal import HTTPCore
internal import HTTPTypes
internal import JOSE
public import JSON

extension OpenIDClient {
    /// Renews tokens (RFC 6749 section 6, OpenID Connect Core 12).
    ///
    /// A refresh or ID token that the answer does not replace is kept. One attempt, never retried here: with rotation a
    /// second one looks like theft.
    ///
    /// - Parameters:
    ///   - tokens: The tokens whose refresh token is spent by this.
    ///   - deadline: Gives up at this instant.
    /// - Returns: The new tokens, of the same subject.
    /// - Throws: `.invalidGrant` when the tokens are of no use any more; anything else leaves them good.
    public func refresh(
        _ tokens: TokenSet, deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) -> TokenSet {
        guard let refreshToken = tokens.refreshToken else { throw .invalidGrant }
        let metadata = try await metadata(deadline: deadline)
        guard metadata.issuer == tokens.issuer else { throw .configuration("the tokens are of another issuer") }
        var form = QueryParameters()
        form.append("grant_type", "refresh_token")
        form.append("refresh_token", refreshToken.reveal())
        let response = try await requestTokens(metadata.tokenEndpoint, form, deadline: deadline)
        try checkTokenType(response)
        if let idToken = response.idToken { try await checkRefreshed(idToken, tokens, response, metadata, deadline) }
        let facts = try await accessFacts(response.accessToken, metadata, deadline: deadline)
        var renewed = tokens
        renewed.accessToken = response.accessToken
        renewed.tokenType = response.tokenType ?? tokens.tokenType
        renewed.refreshToken = response.refreshToken ?? tokens.refreshToken
        renewed.idToken = response.idToken ?? tokens.idToken
        renewed.scopes = response.scopes ?? tokens.scopes
        renewed.issuedAt = response.issuedAt
        renewed.expiresAt = response.expiresAt
        // A refresh authenticates nobody: the facts stay what they were unless the new token says less.
        renewed.authLevel = facts?.authLevel
        return renewed
    }

    private func checkRefreshed(
        _ idToken: Secret<String>, _ tokens: TokenSet, _ response: TokenResponse, _ metadata: ProviderMetadata,
        _ deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) {
        let token = try parse(idToken)
        try await verify(token, metadata, deadline: deadline)
        try checks(metadata).checkRefreshed(
            try claims(of: token), token.header.algorithm, accessToken: response.accessToken.reveal(),
            subject: tokens.subject, authTime: tokens.authTime)
    }

    /// Revokes tokens (RFC 7009): the refresh token, and the access token by itself.
    ///
    /// Revoking the refresh token ought to end its access tokens too; not every provider does.
    ///
    /// - Parameters:
    ///   - tokens: What to revoke.
    ///   - deadline: Gives up at this instant.
    /// - Throws: `.busy`, `.noUsableAnswer` or `.notReached` when the tokens may still be good at the provider and another
    ///   attempt makes sense; `.rejected` and `.invalidClient` when it does not.
    public func revoke(_ tokens: TokenSet, deadline: ContinuousClock.Instant) async throws(OpenIDError) {
        let metadata = try await metadata(deadline: deadline)
        guard let endpoint = metadata.revocationEndpoint else { throw .configuration("no revocation endpoint") }
        if let refreshToken = tokens.refreshToken {
            try await revoke(refreshToken, "refresh_token", endpoint, deadline)
        }
        do {
            try await revoke(tokens.accessToken, "access_token", endpoint, deadline)
        } catch .rejected(code: "unsupported_token_type", _) where tokens.refreshToken != nil {
            // The grant is revoked; that its access token cannot be revoked by itself changes nothing.
        }
    }

    private func revoke(
        _ token: Secret<String>, _ hint: String, _ endpoint: WebURL, _ deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) {
        var form = QueryParameters()
        form.append("token", token.reveal())
        form.append("token_type_hint", hint)
        let response = try await send(authenticated(endpoint, form), deadline: deadline)
        switch response.status {
        case 200..<300:
            return
        case 429, 503:
            throw .busy(retryAfter: RetryAfter.read(response))
        case 400..<500:
            let code = OAuthErrorBody.code(in: response)
            throw code == "invalid_client" ? .invalidClient : .rejected(code: code, status: response.status)
        default:
            throw .noUsableAnswer
        }
    }

    /// Reads the claims of the user (OpenID Connect Core 5.3).
    ///
    /// - Parameters:
    ///   - tokens: Tokens whose access token is good.
    ///   - deadline: Gives up at this instant.
    /// - Returns: The claims, of the tokens' subject.
    /// - Throws: `.invalidGrant` when the access token is not taken, `.invalidUserinfo` for another subject.
    public func userinfo(
        _ tokens: TokenSet, deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) -> JSONObject {
        let metadata = try await metadata(deadline: deadline)
        guard let endpoint = metadata.userinfoEndpoint else { throw .configuration("no userinfo endpoint") }
        var fields: HTTPFields = [:]
        fields[.accept] = "application/json"
        fields[.authorization] = "Bearer " + tokens.accessToken.reveal()
        let response = try await send(ClientRequest(.get, endpoint, fields: fields), deadline: deadline)
        switch response.status {
        case 200..<300:
            guard let claims = (try? JSONValue(parsing: response.body))?.object,
                claims["sub"]?.string == tokens.subject
            else { throw .invalidUserinfo }
            return claims
        case 401:
            throw .invalidGrant
        case 429, 503:
            throw .busy(retryAfter: RetryAfter.read(response))
        case 400..<500:
            throw .rejected(code: OAuthErrorBody.code(in: response), status: response.status)
        default:
            throw .noUsableAnswer
        }
    }
}
