internal import Basics
internal import Discovery
internal import HTTPCore
internal import JOSE

extension OpenIDClient {
    /// Renews tokens (RFC 6749 section 6, OpenID Connect Core 12).
    ///
    /// A refresh token or ID token that the answer does not replace is kept. One attempt, never retried here: with
    /// rotation, a second use of a refresh token looks like theft.
    ///
    /// - Parameters:
    ///   - tokens: The tokens to renew; their refresh token is spent.
    ///   - deadline: Gives up at this instant.
    /// - Returns: The new tokens, of the same subject. Their facts are never stronger than those of the old tokens:
    ///   another class or time of authentication is no error, because another client may have used the provider's
    ///   session, but this grant gains nothing from it.
    /// - Throws: `.noRefreshToken` when the tokens have none; `.invalidGrant` when the provider says that the refresh
    ///   token is not valid any more; `.invalidIDToken` when the answer is about another sign-in, and then the new
    ///   tokens have been revoked; after any other error the old tokens stay valid.
    public func refresh(
        _ tokens: TokenSet, deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) -> TokenSet {
        guard let refreshToken = tokens.refreshToken else { throw .noRefreshToken }
        let metadata = try await metadata(deadline: deadline)
        // rule: tokens are renewed by their own issuer and client
        guard metadata.issuer.isSameText(as: tokens.issuer), settings.clientID.isSameText(as: tokens.clientID) else {
            throw .configuration("the tokens are of another issuer or client")
        }
        // rule: a refresh has a secret that is long enough
        try checkSecret()
        try await prepareKeys(metadata, deadline: deadline)
        var form = QueryParameters()
        form.append("grant_type", "refresh_token")
        form.append("refresh_token", refreshToken.reveal())
        let response = try await requestTokens(metadata.tokenEndpoint, form, deadline: deadline)
        do {
            return try await renewed(tokens, by: response, metadata, deadline: deadline)
        } catch {
            // rule: tokens that were refused after a refresh are revoked
            await discard(response, sparing: refreshToken, metadata)
            throw error
        }
    }

    private func renewed(
        _ tokens: TokenSet, by response: TokenResponse, _ metadata: ProviderMetadata,
        deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) -> TokenSet {
        let (idToken, identity) = try await checkedIDToken(response, tokens, metadata, deadline: deadline)
        let sessionEnd = try identity.map { claims throws(OpenIDError) in try checks(metadata).sessionEnd(claims) }
        // Unavailable keys must not cost the level: these claims lower it at most.
        var access =
            (try? await verifiedClaims(
                of: response.accessToken, metadata, orWithoutKeys: true, deadline: deadline)) ?? nil
        // rule: a refresh brings the same user's access token
        try checkSubject(of: access, after: tokens)
        var level: Int?
        if access == nil {
            switch await ask(about: response.accessToken, metadata, deadline) {
            case .claims(let asked): access = asked
            // An outage of introspection keeps the level: a refresh could not have raised it.
            case .unanswered: level = tokens.authLevel
            case .nothing: break
            }
        }
        var facts = SignInFacts(of: tokens).limited(by: SignInFacts(access: access, identity: identity))
        facts.authLevel = facts.authLevel ?? level
        var renewed = tokens
        renewed.accessToken = response.accessToken
        renewed.tokenType = response.tokenType ?? tokens.tokenType
        renewed.refreshToken = response.refreshToken ?? tokens.refreshToken
        renewed.idToken = idToken ?? tokens.idToken
        renewed.scopes = response.scopes ?? tokens.scopes
        renewed.issuedAt = response.sentAt
        renewed.expiresAt = end(of: response, access)
        renewed.sessionEnd = (sessionEnd ?? nil) ?? tokens.sessionEnd
        facts.write(to: &renewed)
        noteScopes(renewed)
        noteAuthTime(access, identity)
        return renewed
    }

    /// Refuses an access token of another user than the one before.
    ///
    /// Compares access tokens alone: providers may name a user differently in an ID token.
    private func checkSubject(of access: JWTClaims?, after tokens: TokenSet) throws(OpenIDError) {
        guard let new = access?.subject, let before = try? JWS.parse(tokens.accessToken.reveal()),
            let old = try? JWTClaims.parse(before.payload).subject
        else { return }
        guard new.isSameText(as: old) else { throw .invalidResponse(check: "access_token") }
    }

    /// Checks a refresh's ID token; returns its claims, and the token itself only when its signature was verified.
    ///
    /// The refresh token may be spent by now, so unavailable keys must not cost the grant. The claims came from the
    /// token endpoint itself, which OpenID Connect Core 3.1.3.7 accepts instead of the signature. They are checked all
    /// the same, and the unverified token is not kept.
    private func checkedIDToken(
        _ response: TokenResponse, _ tokens: TokenSet, _ metadata: ProviderMetadata,
        deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) -> (Secret<String>?, JWTClaims?) {
        guard let idToken = response.idToken else { return (nil, nil) }
        let token = try parse(idToken)
        var isVerified = true
        do {
            try await verify(idToken: token, metadata, deadline: deadline)
        } catch {
            // rule: a wrong signature after a refresh is refused
            if case .wrong = error { throw OpenIDError(error) }
            isVerified = false
        }
        let before = tokens.idToken.flatMap { try? JWS.parse($0.reveal()) }
            .flatMap { try? JWTClaims.parse($0.payload) }
        let claims = try claims(of: token)
        try checks(metadata).checkRefreshed(
            claims, token.header, accessToken: response.accessToken.reveal(), subject: tokens.subject, before: before)
        // rule: an ID token that was not verified is not kept | (idToken, claims)
        return (isVerified ? idToken : nil, claims)
    }
}
