internal import Basics
public import OpenIDConnect
internal import Orchestrate

/// A user whom a journey signed in; without an OIDC client only logout works.
///
/// `token()` returns a stored token that has not expired only after an error of the provider: an ended session, or one
/// that is too weak, is reported.
public typealias JourneyUser = SignedInUser

extension BoundJourney: TokenGrant {
    /// The token source.
    ///
    /// - Throws: `.provider(.configuration)` in a client without an OIDC client.
    package var source: TokenSource {
        get throws(UserTokenError) {
            guard let source = journey.settings.tokens else {
                throw .provider(.configuration("the journey has no OIDC client"))
            }
            return source
        }
    }

    /// Obtains new tokens for the session without the user.
    ///
    /// For the same user they are limited by the old tokens, because they prove no more about the sign-in.
    package func authorize(replacing old: TokenSet?) async throws(UserTokenError) -> TokenSet {
        let session: SSOSession?
        do { session = try await self.session() } catch { throw .store(error) }
        guard let session else { throw .noSession }
        do {
            _ = try await journey.workflow.initialize(deadline: caller.deadline)
        } catch {
            throw UserTokenError(calling: error)
        }
        let source = try source
        var tokens = try await source.tokens(
            for: session, acrValues: [], settings: journey.settings, services: journey.workflow.services,
            caller: caller)
        let isSameUser = old?.isSameUser(as: tokens) ?? false
        // rule: a session renews a program's tokens no stronger than they were
        if let old, isSameUser { tokens = tokens.limited(by: old) }
        try await caller.keep(tokens)
        // rule: tokens of a former user are revoked
        if let old, !isSameUser {
            try? await source.client.revoke(old, deadline: caller.deadline)
        }
        return tokens
    }

    /// True for errors of the provider.
    package func keepsTokens(after error: UserTokenError) -> Bool {
        if case .provider(let cause) = error { cause != .cancelled } else { false }
    }

    /// The user of the caller's session or tokens; nil when there is neither.
    ///
    /// No request is sent. Without an OIDC client this is the user of the session: logout works, and all functions for
    /// tokens throw.
    ///
    /// - Throws: `.store`.
    public func user() async throws(JourneyTokenError) -> JourneyUser? {
        let session: SSOSession?
        do { session = try await self.session() } catch { throw .store(error) }
        return try await SignedInUser(of: self, hasSession: session != nil)
    }

    /// The user of the caller's session or tokens, like `user()`; the name is that of Ping's SDK for iOS.
    ///
    /// - Throws: `.store`.
    public func journeyUser() async throws(JourneyTokenError) -> JourneyUser? {
        try await user()
    }
}
