import Basics
import Sessions
import StorageKit

extension SessionRecords {
    /// Moves the end of the session and the last use of the client, at most once a minute unless the idle timeout is
    /// short.
    ///
    /// - Returns: The time at which the session ends unless it is used again.
    @discardableResult
    func extendIdle(_ session: OpenedSession, _ record: UserRecord, _ field: String) async -> Timestamp? {
        let now = environment.now()
        let end = environment.idleExtension.end(of: session, at: now)
        let usedIsDue = environment.idleExtension.isUseDue(record, at: now)
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
        } catch .store(.unavailable) {
            // The session may end before another request comes, so this use is retried in the background. At most one
            // retry per session is in flight, and 32 in all, so not every request asks a store that is unavailable.
            let work = environment.work
            if work.extendingIdle.withLock({ $0.count < 32 && $0.insert(session.key).inserted }) {
                work.background.begin { [self] in
                    await extendIdleAgain(session, usedIsDue ? field : nil, now)
                    _ = work.extendingIdle.withLock { $0.remove(session.key) }
                }
            }
        } catch {
            // Another request wrote first: the next request moves the end.
        }
        return session.snapshot.expires
    }

    /// Like `extendIdle(_:_:_:)`, for a use that the store did not take; the write is retried for a moment.
    private func extendIdleAgain(_ session: OpenedSession, _ field: String?, _ used: Timestamp) async {
        try? await edit(session) { fresh, edit throws(EditError) in
            edit.expires = self.environment.idleExtension.end(of: fresh, at: used)
            guard let field, var record = fresh.user(field), record.lastUsed < used else { return }
            record.lastUsed = used
            try edit.put(field, record.encoded)
        }
    }
}

extension IdleExtension {
    /// True if the use of a client with an idle timeout of its own is due to be written.
    func isUseDue(_ record: UserRecord, at now: Timestamp) -> Bool {
        isUseDue(idle: record.idleLimit, lastUsed: record.lastUsed, at: now)
    }
}
