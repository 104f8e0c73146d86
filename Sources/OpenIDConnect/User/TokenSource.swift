package import Basics

/// The OpenID client of a product's users and the token renewals in flight; shared by all callers of a client.
package struct TokenSource: Sendable {
    /// Renews and revokes tokens.
    package let client: OpenIDClient
    /// How long before its expiry an access token is renewed.
    let threshold: Duration
    let time: any TimeSource
    private let flights: SingleFlight<String, Result<TokenSet, UserTokenError>>

    /// Makes a source with no renewal in flight.
    init(_ client: OpenIDClient, threshold: Duration, time: any TimeSource) {
        self.client = client
        self.threshold = threshold
        self.time = time
        flights = SingleFlight(time)
    }

    /// Runs a renewal, or joins the one in flight for the same refresh token or session.
    ///
    /// - Throws: The error of the renewal; `.provider(.cancelled)` when the caller's own task was cancelled meanwhile.
    package func once(
        _ known: Secret<String>, _ renewal: @escaping @Sendable () async throws(UserTokenError) -> TokenSet
    ) async throws(UserTokenError) -> TokenSet {
        let result: Result<TokenSet, UserTokenError>
        do {
            result = try await flights.run(known.reveal()) {
                do throws(UserTokenError) { return .success(try await renewal()) } catch { return .failure(error) }
            }
        } catch {
            throw .provider(.cancelled)
        }
        return try result.get()
    }
}
