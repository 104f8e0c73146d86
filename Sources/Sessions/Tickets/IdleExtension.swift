package import Basics
import StorageKit

/// Decides when idle timeouts are extended; it counts in milliseconds, because every request that uses a session asks.
package struct IdleExtension: Sendable {
    private let idle: Int64
    private let every: Int64

    /// Times for an idle timeout of sessions that is written at most once in `every`.
    package init(idle: Duration, every: Duration) {
        self.idle = idle.milliseconds
        self.every = every.milliseconds
    }

    /// The interval at which the end of the session is written, in milliseconds.
    private var step: Int64 { step(idle) }

    /// The interval at which an idle timeout is written: `idleExtensionEvery`, or a quarter of a short timeout so that
    /// no use is missed.
    private func step(_ idle: Int64) -> Int64 { min(every, idle / 4) }

    /// The new end of a session that is used now; nil while the current end is good enough.
    package func end(of session: OpenedSession, at now: Timestamp) -> Timestamp? {
        guard session.claims.isSignedIn, let current = session.snapshot.expires else { return nil }
        let end = min(now.adding(milliseconds: idle), session.claims.absoluteEnd)
        return current.milliseconds(until: end) >= step ? end : nil
    }

    /// True if a use is due to be written, for an idle timeout of its own.
    ///
    /// - Parameters:
    ///   - idle: The idle timeout in milliseconds; nil for none.
    ///   - lastUsed: The use that was written last.
    ///   - now: The use.
    /// - Returns: False without an idle timeout.
    package func isUseDue(idle: Int64?, lastUsed: Timestamp, at now: Timestamp) -> Bool {
        guard let idle else { return false }
        return lastUsed.milliseconds(until: now) >= step(idle)
    }
}
