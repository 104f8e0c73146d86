internal import Basics
internal import Discovery
internal import HTTPCore
internal import JOSE

extension OpenIDClient {
    /// Obtains tokens with a provider session: authorize with PKCE, state and nonce, exchange the code, check all.
    ///
    /// One attempt, never retried here: a code is single use. Tokens that fail a check are revoked, for nobody holds them.
    ///
    /// - Parameters:
    ///   - session: The provider session.
    ///   - options: What this request asks beyond the settings.
    ///   - deadline: Gives up at this instant; covers discovery, authorize, exchange and keys.
    /// - Returns: Tokens whose ID token passed every check of OpenID Connect Core 3.1.3.7.
    /// - Throws: Why there are none; see `OpenIDError`.
    /// - SeeAlso: docs/protocol.md, 'Authorization with a session'; RFC 6749 section 4.1, RFC 7636, RFC 9207.
    public func authorize(
        session: SessionHeader, options: AuthorizeOptions = AuthorizeOptions(), deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) -> TokenSet {
        try checkSettings()
        let metadata = try await metadata(deadline: deadline)
        try checkMetadata(metadata)
        try await prepareKeys(metadata, deadline: deadline)
        let request = AuthorizationRequest()
        let answer = try await send(
            try request.clientRequest(settings, metadata, session, options), deadline: deadline)
        let reader = AuthorizationAnswer(
            request: request, redirectURI: settings.redirectURI, metadata: metadata, now: time.now())
        let code = try reader.code(in: answer)
        return try await exchange(code, of: request, metadata, options, deadline: deadline)
    }

    /// Without `openid` there is no ID token, and nobody would know whose tokens these are.
    private func checkSettings() throws(OpenIDError) {
        guard settings.scopes.contains("openid") else { throw .configuration("the scopes lack openid") }
        try checkSecret()
    }

    /// What the provider says it cannot do fails before anything is sent.
    private func checkMetadata(_ metadata: ProviderMetadata) throws(OpenIDError) {
        if let methods = metadata.codeChallengeMethods, !methods.contains("S256") {
            throw .configuration("the provider does not support the code challenge method S256")
        }
        if metadata.requiresPushedAuthorizationRequests {
            throw .configuration("the provider requires pushed authorization requests")
        }
    }

    /// Exchanges an authorization code (RFC 6749 section 4.1.3, RFC 7636 section 4.5).
    private func exchange(
        _ code: Secret<String>, of request: AuthorizationRequest, _ metadata: ProviderMetadata,
        _ options: AuthorizeOptions, deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) -> TokenSet {
        var form = QueryParameters()
        form.append("grant_type", "authorization_code")
        form.append("code", code.reveal())
        form.append("redirect_uri", settings.redirectURI)
        form.append("code_verifier", request.pkce.verifier)
        let response = try await requestTokens(metadata.tokenEndpoint, form, deadline: deadline)
        do {
            let grant = IDTokenChecks.Grant(
                nonce: request.nonce, code: code.reveal(), state: request.state,
                accessToken: response.accessToken.reveal(), options: options)
            return try await accept(response, grant, metadata, deadline: deadline)
        } catch {
            await discard(response, metadata)
            throw error
        }
    }

    private func accept(
        _ response: TokenResponse, _ grant: IDTokenChecks.Grant, _ metadata: ProviderMetadata,
        deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) -> TokenSet {
        guard let idToken = response.idToken else { throw .invalidIDToken(check: "missing") }
        let token = try parse(idToken)
        do { try await verify(idToken: token, metadata, deadline: deadline) } catch { throw OpenIDError(error) }
        let claims = try claims(of: token)
        try checks(metadata).check(claims, token.header, grant)
        let access = try await verifiedClaims(of: response.accessToken, metadata, deadline: deadline)
        let facts = SignInFacts(access: access, identity: claims)
        var tokens = TokenSet(
            accessToken: response.accessToken, tokenType: response.tokenType, refreshToken: response.refreshToken,
            idToken: idToken, scopes: response.scopes ?? settings.scopes, issuedAt: response.sentAt,
            expiresAt: end(of: response, access), issuer: metadata.issuer, clientID: settings.clientID,
            subject: claims.subject ?? "", amr: facts.amr, authTime: facts.authTime, authLevel: facts.authLevel,
            sessionID: claims.string("sid"))
        tokens.acrs = facts.acrs
        noteScopes(tokens)
        return tokens
    }

    func checks(_ metadata: ProviderMetadata) -> IDTokenChecks {
        IDTokenChecks(
            issuer: metadata.issuer, clientID: settings.clientID, now: time.now(), leeway: settings.leeway)
    }
}
