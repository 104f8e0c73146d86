internal import Basics
internal import Discovery
internal import HTTPCore
internal import JOSE

extension OpenIDClient {
    /// Obtains tokens with a provider session: authorize with PKCE, state and nonce, exchange the code, check all.
    ///
    /// One attempt, never retried here: a code is single use.
    ///
    /// - Parameters:
    ///   - session: The provider session.
    ///   - options: What this request asks beyond the settings.
    ///   - deadline: Gives up at this instant; covers discovery, authorize, exchange and keys.
    /// - Returns: Tokens whose ID token passed every check of OpenID Connect Core 3.1.3.7.
    /// - Throws: Why there are none; see `OpenIDError`.
    /// - SeeAlso: protocol/oidc.md 3 and 5; RFC 6749 section 4.1, RFC 7636, RFC 9207.
    public func authorize(
        session: SessionHeader, options: AuthorizeOptions = AuthorizeOptions(), deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) -> TokenSet {
        let metadata = try await metadata(deadline: deadline)
        let request = AuthorizationRequest()
        let answer = try await send(
            try request.clientRequest(settings, metadata, session, options), deadline: deadline)
        let code = try AuthorizationAnswer.code(in: answer, to: request, settings, metadata)
        return try await exchange(code, of: request, metadata, options, deadline: deadline)
    }

    /// Exchanges an authorization code (RFC 6749 section 4.1.3, RFC 7636 section 4.5).
    func exchange(
        _ code: Secret<String>, of request: AuthorizationRequest, _ metadata: ProviderMetadata,
        _ options: AuthorizeOptions, deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) -> TokenSet {
        var form = QueryParameters()
        form.append("grant_type", "authorization_code")
        form.append("code", code.reveal())
        form.append("redirect_uri", settings.redirectURI)
        form.append("code_verifier", request.pkce.verifier)
        let response = try await requestTokens(metadata.tokenEndpoint, form, deadline: deadline)
        try checkTokenType(response)
        guard let idToken = response.idToken else { throw .invalidIDToken(check: "missing") }
        let token = try parse(idToken)
        try await verify(token, metadata, deadline: deadline)
        let claims = try claims(of: token)
        try checks(metadata).check(
            claims, token.header.algorithm, nonce: request.nonce, code: code.reveal(),
            accessToken: response.accessToken.reveal(), state: request.state, notBefore: options.notBefore)
        let facts = try await accessFacts(response.accessToken, metadata, deadline: deadline)
        return TokenSet(
            accessToken: response.accessToken, tokenType: response.tokenType, refreshToken: response.refreshToken,
            idToken: idToken, scopes: response.scopes ?? settings.scopes, issuedAt: response.issuedAt,
            expiresAt: response.expiresAt, issuer: metadata.issuer, clientID: settings.clientID,
            subject: claims.subject ?? "", acr: facts?.acr ?? claims.acr,
            amr: facts.flatMap { $0.amr.isEmpty ? nil : $0.amr } ?? claims.amr,
            authTime: facts?.authTime ?? claims.authTime, authLevel: facts?.authLevel,
            sessionID: claims.string("sid"))
    }

    func checks(_ metadata: ProviderMetadata) -> IDTokenChecks {
        IDTokenChecks(
            issuer: metadata.issuer, clientID: settings.clientID, now: time.now(), leeway: settings.leeway)
    }

    func parse(_ idToken: Secret<String>) throws(OpenIDError) -> JWS {
        do {
            return try JWS.parse(idToken.reveal())
        } catch {
            throw .invalidIDToken(check: "form")
        }
    }

    func claims(of token: JWS) throws(OpenIDError) -> JWTClaims {
        do {
            return try JWTClaims.parse(token.payload)
        } catch {
            throw .invalidIDToken(check: "claims")
        }
    }

    /// The proxy sends tokens as bearer tokens only (RFC 6750).
    func checkTokenType(_ response: TokenResponse) throws(OpenIDError) {
        guard let type = response.tokenType else { return }
        guard type.lowercased() == "bearer" else { throw .invalidResponse(check: "token_type") }
    }

    /// The claims of an access token that is a JWT of this provider with a good signature; nil for an opaque one.
    ///
    /// Only an unreachable key set is an error: an access token is not ours to judge, but facts are taken from none that
    /// somebody else could have written.
    func accessFacts(
        _ accessToken: Secret<String>, _ metadata: ProviderMetadata, deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) -> JWTClaims? {
        guard let token = try? JWS.parse(accessToken.reveal()), let claims = try? JWTClaims.parse(token.payload),
            claims.issuer == metadata.issuer
        else { return nil }
        do {
            try await verify(token, metadata, deadline: deadline)
            return claims
        } catch .invalidIDToken {
            return nil
        }
    }
}
