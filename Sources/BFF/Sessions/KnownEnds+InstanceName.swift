import Sessions
import StorageKit

/// The part of a session that an instance has is named by the instance's text.
extension KnownEnds {
    /// Notes that the sign-in of an instance has ended.
    func note(_ session: SessionKey, _ instance: InstanceName, _ reason: EndReason) {
        note(session, part: instance.text, reason)
    }

    /// Forgets the end of an instance's sign-in, because there is a new sign-in.
    func forget(_ session: SessionKey, _ instance: InstanceName) { forget(session, part: instance.text) }

    /// The reason that the sign-in of an instance ended, in a living session.
    func reason(_ session: SessionKey, _ instance: InstanceName) -> EndReason? {
        reason(session, part: instance.text)
    }
}
