internal import Basics
public import JSON
public import OpenIDConnect
public import Orchestrate

/// A signed-in user: tokens, claims and the way out; without an OIDC client the way out alone.
///
/// Everything is read from and written to the caller's stores. Nothing is cached here but the claims that `userinfo(cache: true)`
/// asks for, and those only for the user whose tokens are stored, so nothing of a former user is seen.
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

    /// Tokens whose access token is good for a while.
    ///
    /// Stored ones when they are fresh, else renewed ones, else new ones for the session; never asks the user. While the
    /// provider cannot be reached, an access token that has not ended is returned as it is.
    ///
    /// - Throws: Why there are none. Only the provider's `invalid_grant` drops stored tokens.
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

    /// New tokens, whether or not the stored ones are fresh.
    ///
    /// - Throws: Why there are none; the stored ones stay unless the provider said `invalid_grant`.
    public func refresh() async throws(JourneyTokenError) -> TokenSet {
        _ = try tokens
        guard let stored = try await stored() else { return try await authorize(replacing: nil) }
        return try await renew(stored)
    }

    /// Forgets the tokens and revokes them; the session stays, so that `token()` silently gets new ones.
    ///
    /// - Throws: `.provider` when the provider did not confirm; the tokens are forgotten here nevertheless.
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
    /// - Parameter cache: True returns the claims that this value and its copies got with `true` before, for as long as tokens of
    ///   the same user are stored, and keeps new ones; false asks anew and keeps nothing.
    /// - Returns: The claims.
    /// - Throws: Why there are none.
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

    /// Ends session and tokens, see `BoundJourney.signOff()`.
    public func logout() async -> SignOffReport {
        claims.drop()
        return await journey.signOff()
    }

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

    /// Renews stored tokens; when they are spent, gets new ones for the session, once.
    ///
    /// All of it is done once for callers that come together. Who comes late has read tokens that are replaced by then:
    /// their refresh token is spent and never sent again, since a provider may take that for a theft.
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

    /// New tokens for the session, without the user: of a sign-in that is at hand they prove no more than its tokens did.
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
    /// The user of the caller's session or tokens, nil when there is neither; nothing is sent.
    ///
    /// In a client without an OIDC client that is the user of the session: signing off works, all about tokens throws.
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

    /// The user of the caller's session or tokens, see `user()`: the name that the SDK for iOS has for it.
    ///
    /// - Throws: `.store`.
    public func journeyUser() async throws(JourneyTokenError) -> JourneyUser? {
        try await user()
    }
}
