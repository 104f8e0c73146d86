internal import Basics
public import JSON
public import OpenIDConnect
public import Orchestrate

/// A signed-in user: tokens, claims and logout; without an OIDC client only logout.
///
/// Everything is read from and written to the caller's stores. Only the claims of `userinfo(cache: true)` are cached
/// here. They are returned only while tokens of the same user are stored, so claims of a former user are never
/// returned.
public struct JourneyUser: Sendable {
    let journey: BoundJourney
    let source: TokenSource?
    private let claims = KeptClaims()

    private var caller: Caller { journey.caller }
    private var services: WorkflowServices { journey.journey.workflow.services }

    init(_ journey: BoundJourney, _ source: TokenSource?) {
        self.journey = journey
        self.source = source
    }

    /// Tokens with an access token that is still valid for a while.
    ///
    /// Returns stored tokens if they are fresh, else renewed tokens, else new tokens for the session; never asks the
    /// user. If renewal fails with an error of the provider, for example because it cannot be reached, stored tokens
    /// with an unexpired access token are returned.
    ///
    /// - Throws: The reason why there are no tokens. Only the provider's `invalid_grant` deletes stored tokens.
    public func token() async throws(JourneyTokenError) -> TokenSet {
        _ = try tokens
        guard let stored = try await stored() else { return try await authorize(replacing: nil) }
        let now = services.time.now()
        if stored.isFresh(at: now, threshold: journey.journey.settings.refreshThreshold) { return stored }
        do {
            return try await renew(stored)
        } catch {
            guard case .provider(let cause) = error, cause != .cancelled, stored.isAlive(at: now) else { throw error }
            return stored
        }
    }

    /// New tokens, even if the stored tokens are fresh.
    ///
    /// - Throws: The reason why there are none; stored tokens stay unless the provider answered `invalid_grant`.
    public func refresh() async throws(JourneyTokenError) -> TokenSet {
        _ = try tokens
        guard let stored = try await stored() else { return try await authorize(replacing: nil) }
        return try await renew(stored)
    }

    /// Deletes the stored tokens and revokes them; the session stays, so that `token()` obtains new tokens without the
    /// user.
    ///
    /// - Throws: `.provider` when the provider did not confirm; the tokens are deleted from the store nevertheless.
    public func revoke() async throws(JourneyTokenError) {
        let client = try tokens.client
        claims.drop()
        guard let stored = try await stored() else { return }
        try await forget()
        do { try await client.revoke(stored, deadline: caller.deadline) } catch {
            throw JourneyTokenError(error)
        }
    }

    /// The claims of the user.
    ///
    /// - Parameter cache: True returns the claims that this value and its copies got with `true` before, while tokens
    ///   of the same user are stored, and caches new claims; false asks the provider again and caches nothing.
    /// - Returns: The claims.
    /// - Throws: The reason why there are none.
    public func userinfo(cache: Bool = false) async throws(JourneyTokenError) -> JSONObject {
        let client = try tokens.client
        if cache, let stored = try await stored(), let kept = claims.claims(of: stored) { return kept }
        let good = try await token()
        do {
            return claims.kept(try await client.userinfo(good, deadline: caller.deadline), of: good, cache)
        } catch {
            guard error == .invalidGrant else { throw JourneyTokenError(error) }
        }
        let renewed = try await refresh()
        do {
            return claims.kept(try await client.userinfo(renewed, deadline: caller.deadline), of: renewed, cache)
        } catch {
            throw JourneyTokenError(error)
        }
    }

    /// Ends the session and the tokens, see `BoundJourney.signOff()`.
    public func logout() async -> SignOffReport {
        claims.drop()
        return await journey.signOff()
    }

    /// The token source.
    ///
    /// - Throws: `.provider(.configuration)` in a client without an OIDC client.
    private var tokens: TokenSource {
        get throws(JourneyTokenError) {
            guard let source else { throw .provider(.configuration("the journey has no OIDC client")) }
            return source
        }
    }

    private func stored() async throws(JourneyTokenError) -> TokenSet? {
        do { return try await caller.storages[.tokens]?.get() } catch { throw .store(error) }
    }

    /// Renews stored tokens; if the refresh token is no longer valid, obtains new tokens for the session, once.
    ///
    /// Concurrent callers share one renewal. A caller that arrives later holds tokens that are already replaced. Their
    /// refresh token is used up and is never sent again, because a provider may treat its reuse as theft.
    private func renew(_ stored: TokenSet) async throws(JourneyTokenError) -> TokenSet {
        guard let refreshToken = stored.refreshToken else { return try await authorize(replacing: stored) }
        let source = try tokens
        return try await source.renewals.once(refreshToken) { () throws(JourneyTokenError) in
            guard let current = try await self.stored() else { return try await authorize(replacing: nil) }
            guard current.refreshToken == refreshToken else { return current }
            let renewed: TokenSet
            do throws(OpenIDError) {
                renewed = try await source.client.refresh(current, deadline: caller.deadline)
            } catch {
                guard error == .invalidGrant else { throw JourneyTokenError(error) }
                try await forget()
                return try await authorize(replacing: current)
            }
            try await save(renewed)
            return renewed
        }
    }

    /// Obtains new tokens for the session without the user.
    ///
    /// For the same user they are limited by the old tokens, because they prove no more about the sign-in.
    private func authorize(replacing old: TokenSet?) async throws(JourneyTokenError) -> TokenSet {
        let session: SSOSession?
        do { session = try await journey.session() } catch { throw .store(error) }
        guard let session else { throw .noSession }
        do {
            _ = try await journey.journey.workflow.initialize(deadline: caller.deadline)
        } catch {
            throw JourneyTokenError(calling: error)
        }
        let source = try tokens
        var tokens = try await source.tokens(
            for: session, acrValues: [], settings: journey.journey.settings, services: services, caller: caller)
        let isSameUser = old?.isSameUser(as: tokens) ?? false
        // rule: a session renews a program's tokens no stronger than they were
        if let old, isSameUser { tokens = tokens.limited(by: old) }
        try await save(tokens)
        // rule: tokens of a former user are revoked
        if let old, !isSameUser {
            try? await source.client.revoke(old, deadline: caller.deadline)
        }
        return tokens
    }

    private func forget() async throws(JourneyTokenError) {
        do { try await caller.storages[.tokens]?.delete() } catch { throw .store(error) }
    }

    private func save(_ tokens: TokenSet) async throws(JourneyTokenError) {
        do { try await caller.storages[.tokens]?.save(tokens) } catch { throw .store(error) }
    }
}

extension BoundJourney {
    /// The user of the caller's session or tokens; nil when there is neither.
    ///
    /// No request is sent. Without an OIDC client this is the user of the session: logout works, and all functions for
    /// tokens throw.
    ///
    /// - Throws: `.store`.
    public func user() async throws(JourneyTokenError) -> JourneyUser? {
        let source = journey.settings.tokens
        do {
            if try await session() == nil {
                guard source != nil, try await caller.storages[.tokens]?.get() != nil else { return nil }
            }
        } catch {
            throw .store(error)
        }
        return JourneyUser(self, source)
    }

    /// The user of the caller's session or tokens, like `user()`; the name is that of Ping's SDK for iOS.
    ///
    /// - Throws: `.store`.
    public func journeyUser() async throws(JourneyTokenError) -> JourneyUser? {
        try await user()
    }
}
