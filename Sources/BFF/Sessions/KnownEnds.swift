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
/// reason.
final class KnownEnds: Sendable {
    private struct Key: Hashable {
        let session: SessionKey
        /// nil for the whole session.
        let instance: InstanceName?
    }

    private enum Known {
        case lives(idle: Timestamp, absolute: Timestamp)
        case over(EndReason)
    }

    /// Half of what is remembered: the younger half becomes the older one, and that is forgotten.
    private static let half = 4096

    private let known = Locked((young: [Key: Known](), old: [Key: Known]()))

    /// Notes when a session ends if nobody uses it, and in any case.
    func note(_ session: SessionKey, idle: Timestamp, absolute: Timestamp) {
        put(.lives(idle: idle, absolute: absolute), Key(session: session, instance: nil))
    }

    /// Notes that a session has ended, or the sign-in of one of its instances.
    func note(_ session: SessionKey, _ instance: InstanceName?, _ reason: EndReason) {
        put(.over(reason), Key(session: session, instance: instance))
    }

    /// How the sign-in of an instance ended, in a session that lives.
    func reason(_ session: SessionKey, _ instance: InstanceName) -> EndReason? {
        if case .over(let reason) = find(Key(session: session, instance: instance)) { reason } else { nil }
    }

    /// How a session ended that is not there any more.
    func reason(_ session: SessionKey, at now: Timestamp) -> EndReason? {
        switch find(Key(session: session, instance: nil)) {
        case .over(let reason): reason
        case .lives(_, let absolute) where now >= absolute: .absolute
        case .lives(let idle, _): now >= idle ? .idle : .ended
        case nil: nil
        }
    }

    private func find(_ key: Key) -> Known? { known.withLock { $0.young[key] ?? $0.old[key] } }

    private func put(_ value: Known, _ key: Key) {
        known.withLock { known in
            if known.young.count >= Self.half { known = (young: [:], old: known.young) }
            known.young[key] = value
        }
    }
}

extension KnownEnds {
    /// Forgets how the sign-in of an instance ended: there is another one.
    func forget(_ session: SessionKey, _ instance: InstanceName) {
        let key = Key(session: session, instance: instance)
        known.withLock { known in
            known.young[key] = nil
            known.old[key] = nil
        }
    }
}
