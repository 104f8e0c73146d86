package import Basics

/// Renewals that are under way, each done once for the callers that come together.
package struct TokenRenewals<Failure: Error>: Sendable {
    private let flights: SingleFlight<String, Result<TokenSet, Failure>>
    private let cancelled: Failure

    /// No renewal yet.
    ///
    /// - Parameters:
    ///   - time: Waits for those under way.
    ///   - cancelled: What a caller gets whose own task was cancelled meanwhile.
    package init(_ time: any TimeSource, cancelled: Failure) {
        flights = SingleFlight(time)
        self.cancelled = cancelled
    }

    /// Runs a renewal, or takes part in the one that is under way for the same refresh token or session.
    package func once(
        _ known: Secret<String>, _ renewal: @escaping @Sendable () async throws(Failure) -> TokenSet
    ) async throws(Failure) -> TokenSet {
        let result: Result<TokenSet, Failure>
        do {
            result = try await flights.run(known.reveal()) {
                do throws(Failure) { return .success(try await renewal()) } catch { return .failure(error) }
            }
        } catch {
            throw cancelled
        }
        return try result.get()
    }
}
