import Basics
import StorageKit

/// Decides when idle timeouts are extended; it counts in milliseconds, because every request that uses a session asks.
struct SlideTimes: Sendable {
    private let idle: Int64
    private let every: Int64

    init(_ settings: BFFSettings) {
        idle = settings.idle.milliseconds
        every = settings.slideEvery.milliseconds
    }

    /// The interval at which the end of the session is written, in milliseconds.
    private var step: Int64 { step(idle) }

    /// The interval at which an idle timeout is written: `slideEvery`, or a quarter of a short timeout so that no use
    /// is missed.
    private func step(_ idle: Int64) -> Int64 { min(every, idle / 4) }

    /// The new end of a session that is used now; nil while the current end is good enough.
    func end(of session: OpenedSession, at now: Timestamp) -> Timestamp? {
        guard session.claims.isSignedIn, let current = session.snapshot.expires else { return nil }
        let end = min(now.adding(milliseconds: idle), session.claims.absoluteEnd)
        return current.milliseconds(until: end) >= step ? end : nil
    }

    /// True if the use of a client with an idle timeout of its own is due to be written.
    func isUseDue(_ record: UserRecord, at now: Timestamp) -> Bool {
        guard let idle = record.idleLimit else { return false }
        return record.lastUsed.milliseconds(until: now) >= step(idle)
    }
}
