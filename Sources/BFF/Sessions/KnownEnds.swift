import Basics
import StorageKit

/// Why something is over, as far as that is known.
package enum EndReason: String, Sendable, CaseIterable {
    /// Nobody used it for as long as it may lie idle.
    case idle
    /// Its time was over, however busy it was.
    case absolute
    /// Somebody ended it: another tab, the provider, who runs the server; newer ones took its place.
    case ended
}

/// When sessions end and how sign-ins in them ended, as this process saw it: a browser that comes too late is told why.
///
/// In memory alone, and no more than a few thousand: what another process did, and this one before it was started, has no
/// reason. Sessions in which nobody has signed in, which anybody can make, take no place of others.
final class KnownEnds: Sendable {
    /// What is known of something.
    enum Known {
        case lives(idle: Timestamp, absolute: Timestamp)
        case over(EndReason)
    }

    private struct Key: Hashable {
        let session: SessionKey
        /// nil for the whole session.
        let instance: InstanceName?
    }

    private let signedIn = Locked(RecentlyKnown<Key, Known>(limit: 4096))
    private let anonymous = Locked(RecentlyKnown<Key, Known>(limit: 512))

    /// Notes when a session ends, or that it has.
    func note(_ session: SessionKey, isSignedIn: Bool, _ known: Known) {
        let key = Key(session: session, instance: nil)
        (isSignedIn ? anonymous : signedIn).withLock { $0[key] = nil }
        (isSignedIn ? signedIn : anonymous).withLock { $0[key] = known }
    }

    /// Notes that the sign-in of an instance has ended.
    func note(_ session: SessionKey, _ instance: InstanceName, _ reason: EndReason) {
        signedIn.withLock { $0[Key(session: session, instance: instance)] = .over(reason) }
    }

    /// Forgets how the sign-in of an instance ended: there is another one.
    func forget(_ session: SessionKey, _ instance: InstanceName) {
        signedIn.withLock { $0[Key(session: session, instance: instance)] = nil }
    }

    /// How the sign-in of an instance ended, in a session that lives.
    func reason(_ session: SessionKey, _ instance: InstanceName) -> EndReason? {
        let known = signedIn.withLock { $0[Key(session: session, instance: instance)] }
        return if case .over(let reason) = known { reason } else { nil }
    }

    /// How a session ended that is not there any more; `isSignedIn` asks only for those in which somebody had signed in.
    func reason(_ session: SessionKey, isSignedIn: Bool, at now: Timestamp) -> EndReason? {
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
