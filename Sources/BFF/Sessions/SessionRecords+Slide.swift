import Basics
import StorageKit

extension SessionRecords {
    /// Moves the end of the session and the last use of the client, at most once a minute.
    ///
    /// - Returns: The end of the session unless it is used again.
    @discardableResult
    func slide(_ session: OpenedSession, _ record: UserRecord, _ field: String) async -> Timestamp? {
        let now = environment.now()
        let end = environment.slides.end(of: session, at: now)
        let usedIsDue = environment.slides.isUseDue(record, at: now)
        guard end != nil || usedIsDue else { return session.snapshot.expires }
        do {
            var edit = SessionEdit(session)
            edit.expires = end
            if usedIsDue {
                var used = record
                used.lastUsed = now
                try edit.put(field, used.encoded)
            }
            try await commit(edit)
            return end ?? session.snapshot.expires
        } catch {
            // Somebody else wrote first, or the store is away: the next request moves it.
            return session.snapshot.expires
        }
    }
}
