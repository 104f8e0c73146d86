package import Basics
package import JSON
package import OpenIDConnect

/// The interface to a provider for tokens, whatever flow brought them.
///
/// Each call gives up at its deadline.
package protocol TokenClient: Sendable {
    /// Renews the tokens; the old tokens are spent when the call succeeds.
    func refresh(_ tokens: TokenSet, deadline: ContinuousClock.Instant) async throws(TokenError) -> TokenSet

    /// Reads the claims of the user from the provider.
    func userinfo(_ tokens: TokenSet, deadline: ContinuousClock.Instant) async throws(TokenError) -> JSONObject

    /// Revokes the tokens at the provider.
    func revoke(_ tokens: TokenSet, deadline: ContinuousClock.Instant) async throws(TokenError)

    /// Verifies a token by which the provider says that it ended a session or all sessions of a user.
    func verify(
        logoutToken token: Secret<String>, deadline: ContinuousClock.Instant
    ) async throws(LogoutTokenError) -> LogoutNotice
}

/// The token client of every product, on an OpenID client.
package final class OpenIDTokens: TokenClient {
    private let openID: OpenIDClient

    /// Makes the token client of an OpenID client.
    package init(_ openID: OpenIDClient) {
        self.openID = openID
    }

    /// Renews the tokens.
    package func refresh(_ tokens: TokenSet, deadline: ContinuousClock.Instant) async throws(TokenError) -> TokenSet {
        do {
            return try await openID.refresh(tokens, deadline: deadline)
        } catch {
            throw tokenError(error)
        }
    }

    /// Reads the claims of the user.
    package func userinfo(_ tokens: TokenSet, deadline: ContinuousClock.Instant) async throws(TokenError) -> JSONObject
    {
        do {
            return try await openID.userinfo(tokens, deadline: deadline)
        } catch {
            throw tokenError(error)
        }
    }

    /// Revokes the tokens.
    package func revoke(_ tokens: TokenSet, deadline: ContinuousClock.Instant) async throws(TokenError) {
        do {
            try await openID.revoke(tokens, deadline: deadline)
        } catch {
            throw tokenError(error)
        }
    }

    /// Verifies a logout token.
    package func verify(
        logoutToken token: Secret<String>, deadline: ContinuousClock.Instant
    ) async throws(LogoutTokenError) -> LogoutNotice {
        try await openID.verify(logoutToken: token, deadline: deadline)
    }

    private func tokenError(_ error: OpenIDError) -> TokenError {
        TokenError(error, openID.settings.authenticationAdvice)
    }
}
