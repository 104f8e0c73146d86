package import Basics
package import StorageKit

/// The reason that a session, a sign-in or a flow is over.
package enum EndReason: String, Sendable, CaseIterable {
    /// It was not used for its idle timeout.
    case idle
    /// Its maximum lifetime was over, regardless of use.
    case absolute
    /// It was ended by another tab, the provider or an administrator, or newer ones replaced it.
    case ended
}

/// The ends of sessions, and of sign-ins in them, that this process saw: a browser that comes too late is told the
/// reason.
///
/// Kept in memory only, at most 4096 entries with a sign-in and 512 without. An end has no reason here if another
/// process caused it, or this process before a restart. Sessions without a sign-in, which any client can create, never
/// push out entries of signed-in ones.
package final class KnownEnds: Sendable {
    /// The known state of a session or of a sign-in.
    package enum Known {
        case lives(idle: Timestamp, absolute: Timestamp)
        case over(EndReason)
    }

    private struct Key: Hashable {
        let session: SessionKey
        /// The instance whose sign-in it is; nil for the whole session.
        let instance: InstanceName?
    }

    private let signedIn = Locked(RecentlyKnown<Key, Known>(limit: 4096))
    private let anonymous = Locked(RecentlyKnown<Key, Known>(limit: 512))

    /// Knows no end.
    package init() {}

    /// Notes the times at which a session will end, or the reason that it ended.
    package func note(_ session: SessionKey, isSignedIn: Bool, _ known: Known) {
        let key = Key(session: session, instance: nil)
        (isSignedIn ? anonymous : signedIn).withLock { $0[key] = nil }
        (isSignedIn ? signedIn : anonymous).withLock { $0[key] = known }
    }

    /// Notes that the sign-in of an instance has ended.
    package func note(_ session: SessionKey, _ instance: InstanceName, _ reason: EndReason) {
        signedIn.withLock { $0[Key(session: session, instance: instance)] = .over(reason) }
    }

    /// Forgets the end of an instance's sign-in, because there is a new sign-in.
    package func forget(_ session: SessionKey, _ instance: InstanceName) {
        signedIn.withLock { $0[Key(session: session, instance: instance)] = nil }
    }

    /// The reason that the sign-in of an instance ended, in a living session.
    package func reason(_ session: SessionKey, _ instance: InstanceName) -> EndReason? {
        let known = signedIn.withLock { $0[Key(session: session, instance: instance)] }
        return if case .over(let reason) = known { reason } else { nil }
    }

    /// The reason that a session ended which no longer exists; `isSignedIn` looks only at sessions that had a sign-in.
    package func reason(_ session: SessionKey, isSignedIn: Bool, at now: Timestamp) -> EndReason? {
        let key = Key(session: session, instance: nil)
        let known = signedIn.withLock { $0[key] } ?? (isSignedIn ? nil : anonymous.withLock { $0[key] })
        return switch known {
        case .over(let reason): reason
        case .lives(_, let absolute) where now >= absolute: .absolute
        case .lives(let idle, _): now >= idle ? .idle : .ended
        case nil: nil
        }
    }
}
