package import Basics

/// Token renewals in flight; concurrent callers with the same refresh token or session share one renewal.
package struct TokenRenewals<Failure: Error>: Sendable {
    private let flights: SingleFlight<String, Result<TokenSet, Failure>>
    private let cancelled: Failure

    /// No renewal in flight yet.
    ///
    /// - Parameters:
    ///   - time: The clock for waiting on renewals in flight.
    ///   - cancelled: The error for a caller whose own task was cancelled meanwhile.
    package init(_ time: any TimeSource, cancelled: Failure) {
        flights = SingleFlight(time)
        self.cancelled = cancelled
    }

    /// Runs a renewal, or joins the one in flight for the same refresh token or session.
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
