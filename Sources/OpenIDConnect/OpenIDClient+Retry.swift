internal import Discovery
public import HTTPCore

extension OpenIDClient {
    /// Obtains tokens right after a sign-in, see `authorize(session:options:deadline:)`.
    ///
    /// So soon a login redirect is the provider's replication lag more often than a weak session, so the request is repeated.
    ///
    /// - Parameters:
    ///   - session: The provider session.
    ///   - options: What this request asks beyond the settings.
    ///   - retries: How long to wait before each further attempt.
    ///   - sleep: Waits.
    ///   - deadline: Gives up at this instant.
    /// - Returns: Verified tokens.
    /// - Throws: `.loginRequired` when the last attempt leads to the login page too; otherwise as a single attempt.
    public func authorize(
        session: SessionHeader, options: AuthorizeOptions = AuthorizeOptions(), retries: [Duration],
        sleep: @Sendable (Duration) async throws -> Void, deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) -> TokenSet {
        for wait in retries {
            do {
                return try await authorize(session: session, options: options, deadline: deadline)
            } catch .loginRequired {
                do { try await sleep(wait) } catch { throw .cancelled }
            }
        }
        return try await authorize(session: session, options: options, deadline: deadline)
    }

    /// Where authorize requests go: decides which of a session's cookies belong to them.
    ///
    /// - Throws: As `metadata(deadline:)`.
    public func authorizationEndpoint(deadline: ContinuousClock.Instant) async throws(OpenIDError) -> WebURL {
        try await metadata(deadline: deadline).authorizationEndpoint
    }
}
