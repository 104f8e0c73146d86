internal import Basics
public import JSON
public import Orchestrate

/// A signed-in user: tokens, claims and logout; without an OpenID client only logout.
///
/// Everything is read from and written to the caller's stores. Only the claims of `userinfo(cache: true)` are cached
/// here. They are returned only while tokens of the same user are stored, so claims of a former user are never
/// returned.
public struct SignedInUser: Sendable {
    private let grant: any TokenGrant
    private let claims = KeptClaims()

    private var caller: Caller { grant.caller }

    /// The user of a caller's session or tokens; nil when there is neither.
    ///
    /// - Throws: `.store` when the store of tokens fails.
    package init?(of grant: any TokenGrant, hasSession: Bool) async throws(UserTokenError) {
        self.grant = grant
        if hasSession { return }
        guard (try? grant.source) != nil, try await grant.caller.tokens() != nil else { return nil }
    }

    /// Tokens with an access token that is still valid for a while.
    ///
    /// Returns stored tokens if they are fresh, else renewed tokens, else new tokens for the session; never asks the
    /// user. If the renewal fails, for example because the provider cannot be reached, stored tokens with an unexpired
    /// access token are returned.
    ///
    /// - Throws: The reason why there are no tokens. Only the provider's `invalid_grant` deletes stored tokens.
    public func token() async throws(UserTokenError) -> TokenSet {
        let source = try grant.source
        guard let stored = try await caller.tokens() else { return try await grant.authorize(replacing: nil) }
        let now = source.time.now()
        if stored.isFresh(at: now, threshold: source.threshold) { return stored }
        do {
            return try await renew(stored)
        } catch {
            guard stored.isAlive(at: now), grant.keepsTokens(after: error),
                // The renewal deletes tokens that the provider refused: their access token may be revoked as well.
                // rule: tokens that were deleted meanwhile are not returned
                try await caller.tokens() == stored
            else { throw error }
            return stored
        }
    }

    /// New tokens, even if the stored tokens are fresh.
    ///
    /// - Throws: The reason why there are none; stored tokens stay unless the provider answered `invalid_grant`.
    public func refresh() async throws(UserTokenError) -> TokenSet {
        _ = try grant.source
        guard let stored = try await caller.tokens() else { return try await grant.authorize(replacing: nil) }
        return try await renew(stored)
    }

    /// Deletes the stored tokens and revokes them; the session stays, so that `token()` obtains new tokens without the
    /// user.
    ///
    /// - Throws: `.provider` when the provider did not confirm; the tokens are deleted from the store nevertheless.
    public func revoke() async throws(UserTokenError) {
        let client = try grant.source.client
        claims.drop()
        guard let stored = try await caller.tokens() else { return }
        try await caller.keep(nil)
        do { try await client.revoke(stored, deadline: caller.deadline) } catch { throw .provider(error) }
    }

    /// The claims of the user.
    ///
    /// - Parameter cache: True returns the claims that this value and its copies got with `true` before, while tokens
    ///   of the same user are stored, and caches new claims; false asks the provider again and caches nothing.
    /// - Returns: The claims.
    /// - Throws: The reason why there are none.
    public func userinfo(cache: Bool = false) async throws(UserTokenError) -> JSONObject {
        let client = try grant.source.client
        if cache, let stored = try await caller.tokens(), let kept = claims.claims(of: stored) { return kept }
        func ask(with tokens: TokenSet) async throws(OpenIDError) -> JSONObject {
            let answer = try await client.userinfo(tokens, deadline: caller.deadline)
            if cache { claims.keep(answer, of: tokens) }
            return answer
        }
        let good = try await token()
        do { return try await ask(with: good) } catch {
            guard error == .invalidGrant else { throw .provider(error) }
        }
        let renewed = try await refresh()
        do { return try await ask(with: renewed) } catch { throw .provider(error) }
    }

    /// Ends the session and the tokens, see `signOff()` of the product's client.
    public func logout() async -> SignOffReport {
        claims.drop()
        return await grant.signOff()
    }

    /// Renews stored tokens; if the refresh token is no longer valid, obtains new tokens for the session, once.
    ///
    /// Concurrent callers share one renewal. A caller that arrives later holds tokens that are already replaced. Their
    /// refresh token is used up and is never sent again, because a provider may treat its reuse as theft.
    private func renew(_ stored: TokenSet) async throws(UserTokenError) -> TokenSet {
        guard let refreshToken = stored.refreshToken else { return try await grant.authorize(replacing: stored) }
        let source = try grant.source
        return try await source.once(refreshToken) { [grant, caller] () throws(UserTokenError) in
            guard let current = try await caller.tokens() else { return try await grant.authorize(replacing: nil) }
            guard current.refreshToken == refreshToken else { return current }
            let renewed: TokenSet
            do throws(OpenIDError) {
                renewed = try await source.client.refresh(current, deadline: caller.deadline)
            } catch {
                guard error == .invalidGrant else { throw .provider(error) }
                try await caller.keep(nil)
                return try await grant.authorize(replacing: current)
            }
            try await caller.keep(renewed)
            return renewed
        }
    }
}
