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
        let standing = session.claims.standing(at: time.now())
        guard standing != .replayOnly, let record = session.user(field) else { throw .signedOut }
        guard record.epoch <= session.claims.epoch else { throw .sessionChanged }
        let now = time.now()
        if record.isOver(at: now) {
            await endInstance(session, instance, definition, context)
            throw .signedOut
        }
        guard standing == .current else { return reply(record, session) }
        if refresh || !record.hasClaims || record.needsRenewal(at: now) {
            return try await renewedUser(session, instance, definition, claims: refresh || !record.hasClaims, context)
        }
        try await slide(session, record, field)
        return reply(record, session)
    }

    private func reply(_ record: UserRecord, _ session: OpenedSession) -> Reply {
        let now = time.now()
        return Reply(
            record.document(at: now, idle: session.idleLeft(at: now), absolute: session.absoluteLeft(at: now)))
    }

    /// The answer after the token was renewed where that is due, and the claims were read where that was asked.
    func renewedUser(
        _ session: OpenedSession, _ instance: InstanceName, _ definition: ClientDefinition, claims: Bool,
        _ context: CallContext
    ) async throws(BFFError) -> Reply {
        try await renew(session, instance, definition, .ifDue, context)
        var fresh = try await reopen(session)
        let field = definition.userField(instance.account)
        if claims { fresh = try await readClaims(fresh, instance, definition, context) }
        guard let record = fresh.user(field) else { throw .signedOut }
        try await slide(fresh, record, field)
        return reply(record, fresh)
    }

    /// Reads the claims from the provider and keeps them; an outage leaves the ones that were kept.
    private func readClaims(
        _ session: OpenedSession, _ instance: InstanceName, _ definition: ClientDefinition, _ context: CallContext
    ) async throws(BFFError) -> OpenedSession {
        let tokenField = definition.tokenField(instance.account)
        let field = definition.userField(instance.account)
        guard let tokens = session.tokens(tokenField), let known = session.user(field) else { throw .signedOut }
        let claims: JSONObject
        do {
            claims = try await definition.client.userinfo(tokens, caller(definition, nil, context))
        } catch {
            if known.hasClaims, case .unavailable = error { return session }
            if !known.hasClaims { return session }
            throw BFFError(error)
        }
        let facts = session.record(definition.sessionField(instance.account)).map(definition.client.sessionFacts)
        let head = UserDocument.head(tokens, claims: claims, session: facts)
        try await edit(session) { fresh, edit throws(EditError) in
            guard var record = fresh.user(field), fresh.tokens(tokenField) == tokens else { return }
            record.head = head
            record.hasClaims = true
            try edit.put(field, record.encoded)
        }
        return try await reopen(session)
    }

    /// Moves the end of the session, at most once a minute, and re-wraps a ticket under the newest server key.
    func slide(_ session: OpenedSession, _ record: UserRecord, _ field: String) async throws(BFFError) {
        let now = time.now()
        let end = min(now + settings.idle, session.claims.absoluteEnd)
        let isDue = session.claims.isSignedIn && end - (session.snapshot.expires ?? end) >= settings.slideEvery
        let usedIsDue = record.idleLimit != nil && now - record.lastUsed >= settings.slideEvery
        guard isDue || usedIsDue || !session.isCurrentKey else { return }
        do {
            var edit = SessionEdit(session)
            if isDue { edit.expires = end }
            if usedIsDue {
                var used = record
                used.lastUsed = now
                try edit.put(field, used.encoded)
            }
            if !session.isCurrentKey {
                edit.setRaw(
                    session.credential.ticketField, try ticket(session.claims, session.dataKey, session.credential))
            }
            try await commit(edit)
        } catch {
            // Somebody else wrote first, or the store is away: the next request moves it.
        }
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
