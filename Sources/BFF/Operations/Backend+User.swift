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
        switch try userStep(session, field, refresh: refresh, at: time.now()) {
        case .reply(let reply): return reply
        case .slide(let record):
            let ends = await slide(session, record, field)
            return reply(record, session, ends: ends, at: time.now())
        case .renew(let record):
            return try await renewedUser(session, record, instance, definition, refresh: refresh, context)
        case .end:
            await endInstance(session, instance, definition, context)
            throw .signedOut
        }
    }

    /// The same where nothing has to wait or to be written, which is all but one call a minute.
    ///
    /// - Parameters:
    ///   - name: The instance.
    ///   - cookie: The value of our cookie; nil when the browser sent none.
    /// - Returns: The JSON document of `user`; nil to be asked with `user(_:refresh:_:)`.
    /// - Throws: What `user(_:refresh:_:)` throws.
    public func userAtOnce(_ name: String, cookie: String?) throws(BFFError) -> Reply? {
        let (instance, definition) = try resolve(name)
        let field = definition.userField(instance.account)
        let now = time.now()
        switch try openAtOnce(cookie, field, at: now) {
        case .waits: return nil
        case .absent: throw .signedOut
        case .opened(let session):
            guard case .reply(let reply) = try userStep(session, field, refresh: false, at: now) else { return nil }
            return reply
        }
    }

    /// What a call to `user` leads to.
    private enum UserStep {
        /// This.
        case reply(Reply)
        /// The answer from the record, once its use is written down.
        case slide(UserRecord)
        /// The token is renewed or the claims are read first.
        case renew(UserRecord)
        /// The client's own limits have ended it.
        case end
    }

    /// Decides about a call to `user`.
    ///
    /// - Throws: `.signedOut`, `.sessionChanged`.
    private func userStep(
        _ session: OpenedSession, _ field: String, refresh: Bool, at now: Timestamp
    ) throws(BFFError) -> UserStep {
        let standing = session.claims.standing(at: now)
        guard standing != .replayOnly, let record = session.user(field) else { throw .signedOut }
        guard record.epoch <= session.claims.epoch else { throw .sessionChanged }
        guard standing == .current else {
            // Reads what it knew; it neither renews nor ends anything, nor does it count as use.
            guard !record.isOver(at: now), record.isValid(at: now) else { throw .sessionChanged }
            return .reply(reply(record, session, ends: session.snapshot.expires, at: now))
        }
        if record.isOver(at: now) { return .end }
        if refresh || record.needsRenewal(at: now) || record.needsClaims(at: now) { return .renew(record) }
        guard slideEnd(session, at: now) == nil, !isUseDue(record, at: now) else { return .slide(record) }
        return .reply(reply(record, session, ends: session.snapshot.expires, at: now))
    }

    private func reply(_ record: UserRecord, _ session: OpenedSession, ends: Timestamp?, at now: Timestamp) -> Reply {
        Reply(
            record.document(
                at: now, idle: (ends ?? now).secondsLeft(at: now),
                absolute: session.claims.absoluteEnd.secondsLeft(at: now)))
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
        let ends = isCurrent ? await slide(fresh, record, field) : fresh.snapshot.expires
        return reply(record, fresh, ends: ends, at: time.now())
    }

    /// Moves the end of the session and the last use of the client, at most once a minute.
    ///
    /// - Returns: The end of the session unless it is used again.
    @discardableResult
    func slide(_ session: OpenedSession, _ record: UserRecord, _ field: String) async -> Timestamp? {
        let now = time.now()
        let end = slideEnd(session, at: now)
        let usedIsDue = isUseDue(record, at: now)
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
        let end = min(now.adding(milliseconds: slides.idle), session.claims.absoluteEnd)
        return current.milliseconds(until: end) >= slides.step ? end : nil
    }

    /// Whether the use of a client with an idle time of its own is to be written down.
    private func isUseDue(_ record: UserRecord, at now: Timestamp) -> Bool {
        guard let idle = record.idleLimit else { return false }
        return record.lastUsed.milliseconds(until: now) >= slides.step(idle)
    }
}

/// How idle times move, in milliseconds: every request that uses a session asks.
struct SlideTimes: Sendable {
    let idle: Int64
    private let every: Int64

    init(_ settings: BFFSettings) {
        idle = settings.idle.milliseconds
        every = settings.slideEvery.milliseconds
    }

    /// How often the end of the session is written.
    var step: Int64 { step(idle) }

    /// How often an idle time is written: once a minute, and more often where it is so short that use would be missed.
    func step(_ idle: Int64) -> Int64 { min(every, idle / 4) }
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
