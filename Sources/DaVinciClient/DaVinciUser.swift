public import Basics
public import JSON
public import OpenIDConnect
public import Orchestrate

/// A signed-in user: tokens, claims and logout.
///
/// Everything is read from and written to the caller's stores. Only the claims for `userinfo(cache: true)` are cached
/// here, and they are used only for the user whose tokens are stored, so claims of a former user are never returned.
public struct DaVinciUser: Sendable {
    let bound: BoundDaVinci
    private let claims = KeptClaims()

    init(_ bound: BoundDaVinci) {
        self.bound = bound
    }

    private var caller: Caller { bound.caller }
    private var settings: DaVinciModuleSettings { bound.davinci.settings }
    private var client: OpenIDClient { settings.client }
    private var services: WorkflowServices { bound.davinci.workflow.services }

    /// Tokens whose access token stays valid for a while.
    ///
    /// The stored tokens when they are fresh, else renewed ones, else new ones by a silent start. While PingOne is not
    /// available, or would ask the user, an access token that has not expired is returned as it is.
    ///
    /// - Throws: The reason why there are none. Only PingOne's `invalid_grant` deletes stored tokens.
    public func token() async throws(DaVinciTokenError) -> TokenSet {
        guard let stored = try await stored() else { return try await authorize(replacing: nil) }
        let now = services.time.now()
        if stored.isFresh(at: now, threshold: settings.refreshThreshold) { return stored }
        do {
            return try await renew(stored)
        } catch {
            switch error {
            case .provider(.cancelled), .store: throw error
            default: break
            }
            // Spent tokens have been deleted by now.
            guard try await self.stored() == stored, stored.isAlive(at: now) else { throw error }
            return stored
        }
    }

    /// New tokens, even if the stored ones are fresh.
    ///
    /// - Throws: The reason why there are none; the stored ones stay unless PingOne answered `invalid_grant`.
    public func refresh() async throws(DaVinciTokenError) -> TokenSet {
        guard let stored = try await stored() else { return try await authorize(replacing: nil) }
        return try await renew(stored)
    }

    /// Deletes the tokens and revokes them; the session stays, so that `token()` silently obtains new ones.
    ///
    /// - Throws: `.provider` when PingOne did not confirm the revocation; the tokens are deleted here nevertheless.
    public func revoke() async throws(DaVinciTokenError) {
        claims.drop()
        guard let stored = try await stored() else { return }
        try await forget()
        do { try await client.revoke(stored, deadline: caller.deadline) } catch { throw .provider(error) }
    }

    /// The claims of the user.
    ///
    /// - Parameter cache: True returns the claims that this value and its copies got with `true` before, for as long as
    ///   tokens of the same user are stored, and caches new ones; false asks again and caches nothing.
    /// - Returns: The claims.
    /// - Throws: The reason why there are none.
    public func userinfo(cache: Bool = false) async throws(DaVinciTokenError) -> JSONObject {
        if cache, let stored = try await stored(), let kept = claims.claims(of: stored) { return kept }
        let good = try await token()
        do { return claims.kept(try await client.userinfo(good, deadline: caller.deadline), of: good, cache) } catch {
            guard error == .invalidGrant else { throw .provider(error) }
        }
        let renewed = try await refresh()
        do {
            return claims.kept(try await client.userinfo(renewed, deadline: caller.deadline), of: renewed, cache)
        } catch {
            throw .provider(error)
        }
    }

    /// Ends the session and revokes the tokens, see `BoundDaVinci.signOff()`.
    public func logout() async -> SignOffReport {
        claims.drop()
        return await bound.signOff()
    }

    private func stored() async throws(DaVinciTokenError) -> TokenSet? {
        do { return try await caller.storages[.tokens]?.get() } catch { throw .store(error) }
    }

    private func forget() async throws(DaVinciTokenError) {
        do { try await caller.storages[.tokens]?.delete() } catch { throw .store(error) }
    }

    private func save(_ tokens: TokenSet) async throws(DaVinciTokenError) {
        do { try await caller.storages[.tokens]?.save(tokens) } catch { throw .store(error) }
    }

    /// Renews stored tokens; when their refresh token is spent, obtains new tokens for the session, once.
    ///
    /// Concurrent callers share one renewal. A later caller may hold tokens that were replaced meanwhile: their refresh
    /// token is spent and is not sent again, because a provider may take that for theft.
    private func renew(_ stored: TokenSet) async throws(DaVinciTokenError) -> TokenSet {
        guard let refreshToken = stored.refreshToken else { return try await authorize(replacing: stored) }
        return try await bound.davinci.renewals.once(refreshToken) { () throws(DaVinciTokenError) in
            guard let current = try await self.stored() else { return try await authorize(replacing: nil) }
            guard current.refreshToken == refreshToken else { return current }
            let renewed: TokenSet
            do throws(OpenIDError) {
                renewed = try await client.refresh(current, deadline: caller.deadline)
            } catch {
                guard error == .invalidGrant else { throw .provider(error) }
                try await forget()
                return try await authorize(replacing: current)
            }
            try await save(renewed)
            return renewed
        }
    }

    /// New tokens by a start with `prompt=none`; concurrent callers share one start.
    ///
    /// The new tokens prove no more about the sign-in than the stored tokens of the same user.
    private func authorize(replacing old: TokenSet?) async throws(DaVinciTokenError) -> TokenSet {
        let session: DaVinciSession?
        do { session = try await bound.session() } catch { throw .store(error) }
        guard let session else { throw .noSession }
        return try await bound.davinci.renewals.once(session.value) { () throws(DaVinciTokenError) in
            // A later caller may hold tokens that were replaced meanwhile.
            if let current = try await stored(), current.accessToken != old?.accessToken { return current }
            let tokens = try await obtain()
            guard let old, old.isSameUser(as: tokens) else { return tokens }
            let limited = tokens.limited(by: old)
            try await save(limited)
            return limited
        }
    }

    /// The tokens of a silent start, which writes them into the caller's store itself.
    private func obtain() async throws(DaVinciTokenError) -> TokenSet {
        var options = DaVinciStartOptions()
        options.prompt = "none"
        let step: FlowStep
        do { step = try await bound.start(options) } catch { throw .provider(.cancelled) }
        switch step.node {
        case .success:
            guard let tokens = try await stored() else {
                throw .provider(.configuration("the caller has no token storage"))
            }
            return tokens
        case .continue: throw .loginRequired
        case .error: throw .provider(.noUsableAnswer)
        case .failure(let node): throw DaVinciTokenError(node.cause)
        }
    }
}

/// Why there are no tokens.
public enum DaVinciTokenError: Error, Sendable, Equatable {
    /// The caller has neither usable tokens nor a session to obtain tokens with.
    case noSession
    /// PingOne requires a sign-in: the session is over, or does not suffice.
    case loginRequired
    /// PingOne was not available, refused this client, or gave an answer that fails a check; session and tokens stay.
    case provider(OpenIDError)
    /// A store of the caller failed.
    case store(StorageError)

    /// Converts the failure of a silent start.
    fileprivate init(_ cause: EngineError) {
        if [.loginRequired, .providerRefused, .accountMismatch].contains(cause.davinci?.reason) {
            self = .loginRequired
            return
        }
        self =
            switch cause {
            case .moduleFailed(_, let error as OpenIDError): .provider(error)
            case .moduleFailed(_, let error as StorageError): .store(error)
            case _ where cause.davinci?.reason == .configuration:
                .provider(.configuration(cause.davinci?.check ?? ""))
            case .notReached: .provider(.notReached)
            case .busy(_, let wait): .provider(.busy(retryAfter: wait))
            default: .provider(.noUsableAnswer)
            }
    }
}

extension BoundDaVinci {
    /// The user of the caller's session or tokens; nil when there is neither; sends no request.
    ///
    /// - Throws: `.store` when a store fails.
    public func user() async throws(DaVinciTokenError) -> DaVinciUser? {
        do {
            if try await session() == nil, try await caller.storages[.tokens]?.get() == nil { return nil }
        } catch {
            throw .store(error)
        }
        return DaVinciUser(self)
    }
}
