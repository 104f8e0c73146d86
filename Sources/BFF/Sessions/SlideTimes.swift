import Basics
import StorageKit

/// How idle times move, in milliseconds: every request that uses a session asks.
struct SlideTimes: Sendable {
    private let idle: Int64
    private let every: Int64

    init(_ settings: BFFSettings) {
        idle = settings.idle.milliseconds
        every = settings.slideEvery.milliseconds
    }

    /// How often the end of the session is written.
    private var step: Int64 { step(idle) }

    /// How often an idle time is written: once a minute, and more often where it is so short that use would be missed.
    private func step(_ idle: Int64) -> Int64 { min(every, idle / 4) }

    /// The new end of a session that is used now; nil while the one it has is good enough.
    func end(of session: OpenedSession, at now: Timestamp) -> Timestamp? {
        guard session.claims.isSignedIn, let current = session.snapshot.expires else { return nil }
        let end = min(now.adding(milliseconds: idle), session.claims.absoluteEnd)
        return current.milliseconds(until: end) >= step ? end : nil
    }

    /// Whether the use of a client with an idle time of its own is to be written down.
    func isUseDue(_ record: UserRecord, at now: Timestamp) -> Bool {
        guard let idle = record.idleLimit else { return false }
        return record.lastUsed.milliseconds(until: now) >= step(idle)
    }
}
