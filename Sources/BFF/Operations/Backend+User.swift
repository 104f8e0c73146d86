import Basics
import JSON
import OpenIDConnect
import StorageKit

extension Backend {
    /// Subject, claims, session and token facts of an instance.
    ///
    /// The common case reads one small record whose JSON was rendered when the token was stored, and waits for nothing.
    ///
    /// - Parameters:
    ///   - name: The instance.
    ///   - refresh: Reads the claims from the provider again.
    ///   - context: The request.
    /// - Returns: The JSON document of `user`.
    /// - Throws: `.signedOut`, `.sessionChanged`, `.providerUnavailable` when the token is over and cannot be renewed now.
    public func user(_ name: String, refresh: Bool, _ context: CallContext) async throws(BFFError) -> Reply {
        let (instance, definition) = try resolve(name)
        let field = definition.userField(instance.account)
        guard let session = try await open(context, [field]) else { throw .signedOut }
        let now = time.now()
        let standing = session.claims.standing(at: now)
        guard standing != .replayOnly, let record = session.user(field) else { throw .signedOut }
        guard record.epoch <= session.claims.epoch else { throw .sessionChanged }
        guard standing == .current else {
            // Reads what it knew; it neither renews nor ends anything, nor does it count as use.
            guard !record.isOver(at: now), record.isValid(at: now) else { throw .sessionChanged }
            return reply(record, session, ends: session.snapshot.expires)
        }
        if record.isOver(at: now) {
            await endInstance(session, instance, definition, context)
            throw .signedOut
        }
        if refresh || record.needsRenewal(at: now) || record.needsClaims(at: now) {
            return try await renewedUser(session, record, instance, definition, refresh: refresh, context)
        }
        return reply(record, session, ends: await slide(session, record, field))
    }

    private func reply(_ record: UserRecord, _ session: OpenedSession, ends: Timestamp?) -> Reply {
        let now = time.now()
        return Reply(
            record.document(
                at: now, idle: max(0, ((ends ?? now) - now).wholeSeconds), absolute: session.absoluteLeft(at: now)))
    }

    /// The answer after the token was renewed where that is due, and the claims were read where that is due or asked.
    func renewedUser(
        _ session: OpenedSession, _ record: UserRecord, _ instance: InstanceName, _ definition: ClientDefinition,
        refresh: Bool, _ context: CallContext
    ) async throws(BFFError) -> Reply {
        let field = definition.userField(instance.account)
        if record.needsRenewal(at: time.now()) { try await renew(session, record, instance, definition, context) }
        var fresh = try await reopen(session)
        if refresh || fresh.user(field)?.needsClaims(at: time.now()) == true {
            try await readClaims(fresh, instance, definition, isAsked: refresh, context)
            fresh = try await reopen(session)
        }
        guard let record = fresh.user(field) else { throw .signedOut }
        let isCurrent = fresh.claims.standing(at: time.now()) == .current
        return reply(record, fresh, ends: isCurrent ? await slide(fresh, record, field) : fresh.snapshot.expires)
    }

    /// Moves the end of the session and the last use of the client, at most once a minute.
    ///
    /// - Returns: The end of the session unless it is used again.
    @discardableResult
    func slide(_ session: OpenedSession, _ record: UserRecord, _ field: String) async -> Timestamp? {
        let now = time.now()
        let end = slideEnd(session, at: now)
        let usedIsDue = record.idleLimit.map { now - record.lastUsed >= slideStep(.milliseconds($0)) } ?? false
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

    /// The new end of a session that is used now; nil while the one it has is good enough.
    func slideEnd(_ session: OpenedSession, at now: Timestamp) -> Timestamp? {
        guard session.claims.isSignedIn, let current = session.snapshot.expires else { return nil }
        let end = min(now + settings.idle, session.claims.absoluteEnd)
        return end - current >= slideStep(settings.idle) ? end : nil
    }

    /// How often an idle time is written: once a minute, and more often where it is so short that use would be missed.
    private func slideStep(_ idle: Duration) -> Duration {
        min(settings.slideEvery, idle / 4)
    }
}

extension OpenedSession {
    func user(_ field: String) -> UserRecord? {
        decoded(field) { bytes throws(RecordReader.Malformed) in try UserRecord(decoding: bytes) }
    }

    func tokens(_ field: String) -> TokenSet? {
        guard let bytes = record(field) else { return nil }
        guard let tokens = TokenSet(decoding: bytes) else {
            alarm(field)
            return nil
        }
        return tokens
    }
}
