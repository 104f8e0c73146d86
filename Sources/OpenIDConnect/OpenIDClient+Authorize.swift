internal import Basics
internal import Discovery
internal import HTTPCore
internal import JOSE

extension OpenIDClient {
    /// Begins an authorization; sends the provider no request but for metadata and keys.
    ///
    /// - Parameters:
    ///   - options: The options of the authorization beyond the settings.
    ///   - deadline: Gives up at this instant.
    /// - Returns: The authorization, to be sent once.
    /// - Throws: `.configuration` when settings or metadata do not allow it; otherwise like `metadata(deadline:)`.
    public func authorization(
        _ options: AuthorizeOptions = AuthorizeOptions(), deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) -> Authorization {
        try checkSettings()
        let metadata = try await metadata(deadline: deadline)
        try checkMetadata(metadata)
        try await prepareKeys(metadata, deadline: deadline)
        return try Authorization(settings, metadata, options, now: time.now())
    }

    /// Without `openid` there is no ID token, so the user of the tokens would be unknown.
    private func checkSettings() throws(OpenIDError) {
        // rule: an authorization asks for openid
        guard settings.scopes.contains("openid") else { throw .configuration("the scopes lack openid") }
        // rule: an authorization has a secret that is long enough
        try checkSecret()
    }

    /// Fails before anything is sent when the metadata exclude the request.
    private func checkMetadata(_ metadata: ProviderMetadata) throws(OpenIDError) {
        // rule: a provider without S256 is not asked
        if let methods = metadata.codeChallengeMethods, !methods.contains("S256") {
            throw .configuration("the provider does not support the code challenge method S256")
        }
        if metadata.requiresPushedAuthorizationRequests, metadata.pushedAuthorizationRequestEndpoint == nil {
            throw .configuration("the provider requires pushed authorization requests and names no endpoint for them")
        }
    }
}

extension Authorization {
    /// Exchanges an answer for tokens: checks the answer, exchanges the code and checks the tokens.
    ///
    /// One attempt, never retried here: a code is single use. An answer that does not belong to this authorization
    /// leaves it unspent, so that a made-up answer cannot end a sign-in; any other answer spends it. Tokens that fail a
    /// check are revoked, because they are not stored.
    ///
    /// - Parameters:
    ///   - answer: The parameters that came to the redirect URI.
    ///   - client: The client that made the authorization, or a client with the same registration in another process.
    ///   - deadline: Gives up at this instant; covers metadata, keys and exchange.
    /// - Returns: Tokens whose ID token passed every check of OpenID Connect Core 3.1.3.7.
    /// - Throws: `.invalidGrant` for an authorization that is spent or expired, and when the provider refuses the code
    ///   as invalid; otherwise why there are no tokens, see `OpenIDError`.
    /// - SeeAlso: docs/protocol.md, 'Answers to an authorization request'; RFC 6749 section 4.1, RFC 7636, RFC 9207.
    public mutating func finish(
        _ answer: AuthorizationAnswer, by client: OpenIDClient, deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) -> TokenSet {
        // rule: an authorization is finished once and in time
        guard !isSpent, client.time.now() < expires else { throw .invalidGrant }
        let metadata = try await client.metadata(deadline: deadline)
        // rule: an authorization is finished by its own issuer and client
        guard metadata.issuer.isSameText(as: issuer), client.settings.clientID.isSameText(as: clientID) else {
            throw .configuration("the authorization is of another issuer or client")
        }
        try await client.prepareKeys(metadata, deadline: deadline)
        // rule: an answer fits its authorization
        try answer.check(isFor: self)
        isSpent = true
        let code = try answer.code(from: issuer, isIssuerAnnounced: metadata.announcesIssuerInRedirect)
        return try await client.exchange(code, of: self, metadata, deadline: deadline)
    }
}

extension OpenIDClient {
    /// Exchanges an authorization code (RFC 6749 section 4.1.3, RFC 7636 section 4.5).
    fileprivate func exchange(
        _ code: Secret<String>, of authorization: Authorization, _ metadata: ProviderMetadata,
        deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) -> TokenSet {
        var form = QueryParameters()
        form.append("grant_type", "authorization_code")
        form.append("code", code.reveal())
        form.append("redirect_uri", authorization.redirectURI)
        form.append("code_verifier", authorization.pkce.verifier.reveal())
        let response = try await requestTokens(metadata.tokenEndpoint, form, deadline: deadline)
        do {
            let grant = IDTokenChecks.Grant(
                nonce: authorization.nonce.reveal(), code: code.reveal(), state: authorization.state.reveal(),
                accessToken: response.accessToken.reveal(), demands: authorization.demands)
            return try await accept(response, grant, metadata, deadline: deadline)
        } catch {
            // rule: tokens that were refused after a sign-in are revoked
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
        // rule: the claims of an ID token are checked
        try checks(metadata).check(claims, token.header, grant)
        var access = try await verifiedClaims(of: response.accessToken, metadata, deadline: deadline)
        if access == nil, case .claims(let asked) = await ask(about: response.accessToken, metadata, deadline) {
            access = asked
        }
        let facts = SignInFacts(access: access, identity: claims)
        var tokens = TokenSet(
            accessToken: response.accessToken, tokenType: response.tokenType, refreshToken: response.refreshToken,
            idToken: idToken, scopes: response.scopes ?? settings.scopes, issuedAt: response.sentAt,
            expiresAt: end(of: response, access), issuer: metadata.issuer, clientID: settings.clientID,
            subject: claims.subject ?? "", amr: facts.amr, authTime: facts.authTime, authLevel: facts.authLevel,
            sessionID: claims.string("sid"))
        tokens.acrs = facts.acrs
        tokens.sessionEnd = try checks(metadata).sessionEnd(claims)
        // The provider session may live on; for this client it is over, until the user signs in.
        // rule: a sign-in whose session the provider has ended is none
        if let end = tokens.sessionEnd, end <= time.now() { throw .loginRequired }
        noteScopes(tokens)
        noteAuthTime(access, claims)
        return tokens
    }

    func checks(_ metadata: ProviderMetadata) -> IDTokenChecks {
        IDTokenChecks(
            issuer: metadata.issuer, clientID: settings.clientID, now: time.now(), leeway: settings.leeway)
    }
}
