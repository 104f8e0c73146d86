internal import Basics
internal import Discovery
internal import JOSE
internal import JSON
internal import Logs

/// Steps that a first grant and a refresh share.
extension OpenIDClient {
    /// The claims of an access token that is a JWT of this provider with a verified signature; nil for an opaque token.
    ///
    /// The client does not validate access tokens, but it takes facts only from a token that the provider signed.
    /// Refresh tokens and ID tokens may have the same issuer and key; their claim `tokenName` tells them apart.
    ///
    /// - Parameters:
    ///   - accessToken: The token.
    ///   - metadata: Checked metadata of the provider.
    ///   - isWithoutKeys: True if the claims count as well while the key that the token names cannot be had: for facts
    ///     that only lower what is known.
    ///   - deadline: Gives up at this instant.
    /// - Returns: The claims; nil for an opaque token and for one with a wrong signature.
    /// - Throws: Why the keys cannot be had.
    func verifiedClaims(
        of accessToken: Secret<String>, _ metadata: ProviderMetadata, orWithoutKeys isWithoutKeys: Bool = false,
        deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) -> JWTClaims? {
        guard let token = try? JWS.parse(accessToken.reveal()), let claims = try? JWTClaims.parse(token.payload),
            // rule: verified claims are of the issuer
            let issuer = claims.issuer, issuer.isSameText(as: metadata.issuer),
            // rule: verified claims are of an access token by its name
            claims.json["tokenName"] == nil || claims.string("tokenName") == "access_token"
        else { return nil }
        do {
            try await verify(token, metadata, deadline: deadline)
            return claims
        } catch {
            switch error {
            case .wrong: return nil
            case .noKey: return isWithoutKeys ? claims : nil
            case .provider(let error):
                if isWithoutKeys { return claims }
                throw error
            }
        }
    }

    /// The expiry of an access token: from the answer, else from the JWT itself, else after the configured lifetime.
    func end(of response: TokenResponse, _ access: JWTClaims?) -> Timestamp {
        if let lifetime = response.lifetime { return response.sentAt + lifetime }
        if let expires = access?.expires, expires > response.sentAt { return expires }
        return response.sentAt + settings.defaultLifetime
    }

    /// Logs that the provider granted fewer scopes than were asked for; a route's requirement decides the consequence.
    func noteScopes(_ tokens: TokenSet) {
        let missing = tokens.missingScopes(of: settings.scopes)
        guard !missing.isEmpty else { return }
        logger.info(
            "the provider granted fewer scopes than were asked for",
            metadata: ["client.id": "\(settings.clientID)", "scopes.missing": "\(missing.joined(separator: " "))"])
    }

    /// Logs an authentication time that is ignored because the provider divided it by a thousand.
    func noteAuthTime(_ claims: JWTClaims?...) {
        guard claims.contains(where: { $0?.statesThousandth == true }) else { return }
        logger.warning(
            "the provider states auth_time divided by a thousand; it counts as not stated, so no maxAge is met by it",
            metadata: ["client.id": "\(settings.clientID)"])
    }

    /// Revokes tokens that failed a check, because they are not stored; ignores a failure.
    ///
    /// Runs in a task of its own, because the calling task may be cancelled; takes at most five seconds.
    ///
    /// - Parameters:
    ///   - response: The answer with the tokens.
    ///   - used: The refresh token that was sent for them, which a provider without rotation sends back: it stays.
    ///   - metadata: Checked metadata of the provider.
    func discard(
        _ response: TokenResponse, sparing used: Secret<String>? = nil, _ metadata: ProviderMetadata
    ) async {
        // rule: a refresh token that the provider did not replace is not revoked | response.refreshToken
        let refreshToken = response.refreshToken == used ? nil : response.refreshToken
        await Task(executorPreference: CurrentExecutor.preference) { [self] in
            try? await revoke(refreshToken, response.accessToken, metadata, deadline: .now + .seconds(5))
        }.value
    }
}

extension TokenSet {
    /// The scopes that were asked for and not granted, in the order of `asked`; compared exactly.
    public func missingScopes(of asked: [String]) -> [String] {
        asked.filter { scope in !scopes.contains { $0.isSameText(as: scope) } }
    }
}
