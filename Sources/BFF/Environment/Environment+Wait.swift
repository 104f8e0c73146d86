import Basics

extension Environment {
    /// Waits for work that others may share and that goes on without whoever waits.
    ///
    /// - Parameters:
    ///   - deadline: Waits no longer.
    ///   - work: Is cancelled at the deadline; what it shares with others is not.
    /// - Returns: nil when the deadline came first.
    /// - Throws: What the work throws; `.cancelled` when the caller went away.
    func wait<Value: Sendable>(
        until deadline: ContinuousClock.Instant, _ work: @escaping @Sendable () async throws -> Value
    ) async throws(BFFError) -> Value? {
        let working = Task { () -> Result<Value, BFFError>? in
            do {
                return .success(try await work())
            } catch let error as BFFError {
                return .failure(error)
            } catch {
                return nil
            }
        }
        let ticket = deadlines.add(at: deadline) { working.cancel() }
        defer { deadlines.remove(ticket) }
        let result = await withTaskCancellationHandler {
            await working.value
        } onCancel: {
            working.cancel()
        }
        if let result { return try result.get() }
        if Task.isCancelled || ContinuousClock.now < deadline { throw .cancelled }
        return nil
    }
}
