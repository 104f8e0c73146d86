import Basics

extension SingleFlight {
    /// Runs work, or joins whoever runs it; it goes on without whoever waits.
    ///
    /// - Returns: nil when the deadline came first.
    /// - Throws: What the work throws; `.cancelled` when the caller went away.
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
