import Basics

extension SingleFlight {
    /// Runs work, or joins the run in flight; a run goes on when its callers leave.
    ///
    /// - Returns: nil when the deadline came first.
    /// - Throws: The errors of the work; `.cancelled` when the caller was cancelled.
    func share(
        _ key: Key, until deadline: ContinuousClock.Instant, _ work: @escaping @Sendable () async throws -> Value
    ) async throws(BFFError) -> Value? {
        do {
            return try await run(key, until: deadline, work)
        } catch let error as BFFError {
            throw error
        } catch is DeadlineError {
            return nil
        } catch {
            throw .cancelled
        }
    }
}
