import Sessions
import StorageKit

extension ChangeWaits {
    /// Looks for a value that another process brings about, until it is there.
    ///
    /// It subscribes before it looks, so that no change falls in between, and looks again at each message. In addition
    /// it looks every `safetyInterval`, because an expiry by the clock sends no message, and a store may lose
    /// messages. While the store sends no messages it looks every `interval`.
    ///
    /// - Parameters:
    ///   - subject: The part of the store that changes when the value is there.
    ///   - deadline: Looks for the last time at this instant.
    ///   - look: Returns nil while the value is not there.
    /// - Returns: nil when the deadline came first.
    /// - Throws: The errors of `look`; `.cancelled` when the task was cancelled while it waited.
    func value<Value: Sendable>(
        of subject: StoreSubject, until deadline: ContinuousClock.Instant,
        _ look: () async throws(BFFError) -> Value?
    ) async throws(BFFError) -> Value? {
        let wait = await begin(on: subject)
        defer { wait.end() }
        while true {
            if let value = try await look() { return value }
            guard await wait.wake(until: deadline) else { return nil }
            if Task.isCancelled { throw .cancelled }
        }
    }
}
