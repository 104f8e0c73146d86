import Basics
import Sessions
import StorageKit

extension RotationRecord {
    /// The fields and field prefixes of the records that a sign-in may overwrite.
    static let purposes = [
        MetaRecord.field, "session/", "proof/", "token/", "user/", StepUpAttempts.field, SignInList.field,
    ]
}

extension OpenedSession {
    /// True if a kept answer carries the cookie that replaced this session's own one, and no request has come with that
    /// cookie.
    ///
    /// A replaced cookie collects no other answer: an answer to a later step, which brought a later cookie, is only for
    /// a browser that had the cookie in between.
    func mayCollect(_ kept: FlowRecord.KeptAnswer, at now: Timestamp) -> Bool {
        guard let id = claims.rotation?.id, let rotation = rotation(id), let secret = kept.newSecret,
            // rule: a replaced cookie collects while the new one has not come
            !rotation.isFinal,
            // rule: a replaced cookie collects for some seconds
            now < rotation.replaysUntil
        else { return false }
        // rule: a replaced cookie collects the one that took its own place | true
        return credential.with(secret: secret).ticketField == rotation.newTicket
    }
}
