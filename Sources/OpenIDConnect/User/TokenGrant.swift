internal import Basics
package import Orchestrate

/// A product's client that is bound to one caller, as the source of new tokens for the caller's session.
package protocol TokenGrant: Sendable {
    /// The caller, whose stores have the tokens.
    var caller: Caller { get }

    /// The token source.
    ///
    /// - Throws: `.provider(.configuration)` in a client without an OpenID client.
    var source: TokenSource { get throws(UserTokenError) }

    /// Obtains new tokens for the session and stores them; never asks the user.
    ///
    /// - Parameter old: The tokens that are replaced. New tokens of the same user are limited by them, because they
    ///   prove no more about the sign-in.
    /// - Returns: The new tokens.
    /// - Throws: The reason why there are none.
    func authorize(replacing old: TokenSet?) async throws(UserTokenError) -> TokenSet

    /// True if stored tokens are still returned until they expire, although their renewal failed with an error.
    func keepsTokens(after error: UserTokenError) -> Bool

    /// Ends the session and the tokens.
    func signOff() async -> SignOffReport
}

extension Caller {
    /// The stored tokens; nil if there are none.
    package func tokens() async throws(UserTokenError) -> TokenSet? {
        do { return try await storages[.tokens]?.get() } catch { throw .store(error) }
    }

    /// Stores tokens; nil deletes the stored ones.
    package func keep(_ tokens: TokenSet?) async throws(UserTokenError) {
        do {
            if let tokens { try await storages[.tokens]?.save(tokens) } else { try await storages[.tokens]?.delete() }
        } catch {
            throw .store(error)
        }
    }
}
