import Basics
import Sessions
import StorageKit

/// Answers `user`: subject, claims, session and token facts of an instance.
final class UserAnswers: Sendable {
    private let environment: Environment
    private let sessions: BrowserSessions
    private let records: SessionRecords
    private let renewal: TokenRenewal
    private let claims: UserClaims
    private let cleanup: SessionCleanup
    private let prolongation: SessionProlongation
    private let silent: SilentSignIns

    init(
        _ renewal: TokenRenewal, _ claims: UserClaims, _ cleanup: SessionCleanup, _ prolongation: SessionProlongation,
        _ silent: SilentSignIns
    ) {
        environment = cleanup.environment
        sessions = cleanup.sessions
        records = sessions.records
        self.silent = silent
        self.renewal = renewal
        self.claims = claims
        self.cleanup = cleanup
        self.prolongation = prolongation
    }

    /// Reads subject, claims, session and token facts of an instance.
    ///
    /// The common case reads one small record whose JSON was rendered when the token was stored, and waits for nothing.
    ///
    /// - Parameters:
    ///   - name: The instance.
    ///   - refresh: True to read the claims from the provider again.
    ///   - context: The request.
    /// - Returns: The answer to `user`.
    /// - Throws: `.signedOut`, `.sessionChanged`, `.providerUnavailable` when the token is over and cannot be renewed
    ///   now.
    func user(_ name: String, refresh: Bool, _ context: CallContext) async throws(BFFError) -> User {
        if let user = try await known(name, refresh: refresh, context) { return user }
        guard try await silent.obtain(name, context), let user = try await known(name, refresh: refresh, context) else {
            throw .signedOut
        }
        return user
    }

    /// The answer of an instance; nil for an instance without tokens.
    private func known(_ name: String, refresh: Bool, _ context: CallContext) async throws(BFFError) -> User? {
        let call = try environment.call(name, context)
        let field = call.userField
        // rule: claims that are read again are no copy | environment.strategy(of: [call.client])
        let strategy = refresh ? nil : environment.strategy(of: [call.client])
        if let user = copied(call, strategy, isStoreAway: false) { return user }
        let opened: OpenedSession?
        do {
            opened = try await sessions.open(context, [field], keeping: strategy)
        } catch {
            guard error.isStoreAway, let user = copied(call, strategy, isStoreAway: true) else { throw error }
            sessions.noteOutage()
            return user
        }
        guard let session = opened else { throw .signedOut }
        if session.snapshot[field] == nil {
            guard !session.isOvertaken(at: environment.now()) else { throw .sessionChanged }
            return nil
        }
        switch try userStep(session, call.instance, call.client, refresh: refresh, at: environment.now()) {
        case .reply(let reply): return reply
        case .extendIdle(let found):
            let (session, record) = try await prolongation.prolonged(session, found, call)
            let ends = await records.extendIdle(session, record, field)
            return try reply(record, session, ends: ends, at: environment.now())
        case .renew(let record):
            return try await renewed(session, record, call, refresh: refresh)
        case .end:
            await cleanup.endInstance(session, call)
            throw .signedOut
        }
    }

    /// The answer of an instance from a copy; nil where the store has to be asked.
    ///
    /// While the store does not answer, what is due waits: a use is not written, and a token that is still good is not
    /// renewed.
    private func copied(_ call: InstanceCall, _ strategy: StorageStrategy?, isStoreAway: Bool) -> User? {
        guard strategy != nil else { return nil }
        let field = call.userField
        let now = environment.now()
        guard let session = sessions.copy(call.context, [field], strategy, isStoreAway: isStoreAway),
            session.snapshot[field] != nil,
            let step = try? userStep(session, call.instance, call.client, refresh: false, at: now)
        else { return nil }
        switch step {
        case .reply(let user): return user
        case .extendIdle(let record) where isStoreAway:
            return try? reply(record, session, ends: session.snapshot.expires, at: now)
        // rule: a copy of a token that is over answers nothing
        case .renew(let record) where isStoreAway && record.isValid(at: now):
            return try? reply(record, session, ends: session.snapshot.expires, at: now)
        case .extendIdle, .renew, .end: return nil
        }
    }

    /// Like `user(_:refresh:_:)`, where the answer needs no waiting and no write, which is all but one call a minute.
    ///
    /// - Parameters:
    ///   - name: The instance.
    ///   - cookie: The value of the session cookie; nil when the browser sent none.
    ///   - startCookie: The value of the cookie of a session without a sign-in; nil when the browser sent none.
    ///   - device: The proof of the browser's device.
    /// - Returns: The answer to `user`; nil when `user(_:refresh:_:)` has to be asked.
    /// - Throws: The errors of `user(_:refresh:_:)`.
    func userAtOnce(
        _ name: String, cookie: String?, startCookie: String? = nil, device: SentDeviceProof = SentDeviceProof()
    ) throws(BFFError) -> User? {
        let (instance, client) = try environment.resolve(name)
        let field = client.userField(instance.account)
        let now = environment.now()
        switch try records.openAtOnce(cookie, field, device: device, at: now) {
        case .waits: return nil
        case .absent where startCookie != nil: return nil
        case .absent: throw .signedOut
        case .opened(let session):
            if session.snapshot[field] == nil, try silent.isPossibleAtOnce(instance, client, cookie) { return nil }
            guard case .reply(let reply) = try userStep(session, instance, client, refresh: false, at: now) else {
                return nil
            }
            return reply
        }
    }

    /// The next step of a call to `user`.
    private enum UserStep {
        /// The call is answered at once with this user.
        case reply(User)
        /// The answer comes from the record, after its use was written and the provider session was prolonged.
        case extendIdle(UserRecord)
        /// The token is renewed, or the claims are read, before the answer.
        case renew(UserRecord)
        /// The client's own limits have ended the tokens.
        case end
    }

    /// Decides the next step of a call to `user`.
    ///
    /// - Throws: `.signedOut`, `.sessionChanged`.
    private func userStep(
        _ session: OpenedSession, _ instance: InstanceName, _ client: ClientDefinition, refresh: Bool, at now: Timestamp
    ) throws(BFFError) -> UserStep {
        let field = client.userField(instance.account)
        let status = session.claims.status(at: now)
        // rule: a dead cookie sees no user
        guard status != .replayOnly else { throw .signedOut }
        let record = try session.user(field, at: now)
        guard status == .current else {
            // A replaced cookie reads the record that it knew; it neither renews nor ends anything, nor counts as use.
            // rule: an overtaken cookie shows a valid user alone
            guard !record.isOver(at: now), record.isValid(at: now) else { throw .sessionChanged }
            return .reply(try reply(record, session, ends: session.snapshot.expires, at: now))
        }
        // rule: a client's limits end its user
        if record.isOver(at: now) { return .end }
        if refresh || record.needsRenewal(at: now) || record.needsClaims(at: now) { return .renew(record) }
        guard environment.idleExtension.end(of: session, at: now) == nil,
            !environment.idleExtension.isUseDue(record, at: now),
            !prolongation.isDue(session, client, instance.account, at: now)
        else { return .extendIdle(record) }
        return .reply(try reply(record, session, ends: session.snapshot.expires, at: now))
    }

    private func reply(
        _ record: UserRecord, _ session: OpenedSession, ends: Timestamp?, at now: Timestamp
    ) throws(BFFError) -> User {
        let user = record.user(
            environment.renderer, at: now, idle: (ends ?? now).secondsLeft(at: now),
            absolute: session.claims.absoluteEnd.secondsLeft(at: now))
        guard let user else { throw .signedOut }
        return user
    }

    /// The answer after renewing the token where that is due, and reading the claims where that is due or was asked
    /// for.
    private func renewed(
        _ session: OpenedSession, _ record: UserRecord, _ call: InstanceCall, refresh: Bool
    ) async throws(BFFError) -> User {
        let field = call.userField
        var (fresh, record) = try await records.user(field, of: session) { () throws(BFFError) in
            if record.needsRenewal(at: environment.now()) { try await renewal.renew(session, record, call) }
        }
        if refresh || record.needsClaims(at: environment.now()) {
            (fresh, record) = try await records.user(field, of: session) { [fresh] () throws(BFFError) in
                try await claims.read(fresh, call, isAsked: refresh)
            }
        }
        if fresh.claims.status(at: environment.now()) == .current {
            (fresh, record) = try await prolongation.prolonged(fresh, record, call)
        }
        let isCurrent = fresh.claims.status(at: environment.now()) == .current
        let ends = isCurrent ? await records.extendIdle(fresh, record, field) : fresh.snapshot.expires
        return try reply(record, fresh, ends: ends, at: environment.now())
    }

    /// Renews the instance's tokens now.
    ///
    /// - Returns: The answer to `user`.
    /// - Throws: `.signedOut` when the grant is gone, `.providerUnavailable` while the provider cannot be asked.
    func refreshToken(_ name: String, _ context: CallContext) async throws(BFFError) -> User {
        if let user = try await renewedNow(name, context) { return user }
        guard try await silent.obtain(name, context), let user = try await known(name, refresh: false, context) else {
            throw .signedOut
        }
        return user
    }

    /// The answer of an instance after its tokens were renewed; nil for an instance without tokens.
    private func renewedNow(_ name: String, _ context: CallContext) async throws(BFFError) -> User? {
        let call = try environment.call(name, context)
        let field = call.userField
        let now = environment.now()
        guard let session = try await sessions.open(context, [field, call.tokenField]) else { throw .signedOut }
        guard !session.isOvertaken(at: now) else { throw .sessionChanged }
        if session.snapshot[field] == nil { return nil }
        guard let seen = session.snapshot[call.tokenField]?.revision,
            session.claims.status(at: now) != .replayOnly, let record = session.user(field)
        else { throw .signedOut }
        guard session.claims.status(at: now) == .current else { throw .sessionChanged }
        if record.isOver(at: now) {
            await cleanup.endInstance(session, call)
            throw .signedOut
        }
        let (fresh, known) = try await records.user(field, of: session) { () throws(BFFError) in
            try await renewal.renew(session, record, call, seen: seen)
        }
        return try await renewed(fresh, known, call, refresh: false)
    }
}
