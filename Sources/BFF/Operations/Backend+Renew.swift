import Basics
import Logs
import OpenIDConnect
import StorageKit

/// One call about the tokens of a storage; callers for the same reason share it.
struct RenewalKey: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case due
        case forced
        case claims
        case claimsAsked
    }

    let session: SessionKey
    let field: String
    let kind: Kind
}

extension Backend {
    /// Renews the instance's tokens now.
    ///
    /// - Returns: What `user` answers with.
    /// - Throws: `.signedOut` when the grant is gone, `.providerUnavailable` while the provider cannot be asked.
    public func refreshToken(_ name: String, _ context: CallContext) async throws(BFFError) -> Reply {
        let (instance, definition) = try resolve(name)
        let field = definition.userField(instance.account)
        let now = time.now()
        let tokenField = definition.tokenField(instance.account)
        guard let session = try await open(context, [field, tokenField]),
            let seen = session.snapshot[tokenField]?.revision, session.claims.standing(at: now) != .replayOnly,
            let record = session.user(field)
        else { throw .signedOut }
        guard session.claims.standing(at: now) == .current else { throw .sessionChanged }
        if record.isOver(at: now) {
            await endInstance(session, instance, definition, context)
            throw .signedOut
        }
        try await renew(session, record, instance, definition, context, seen: seen)
        let fresh = try await reopen(session)
        guard let renewed = fresh.user(field) else { throw .signedOut }
        return try await renewedUser(fresh, renewed, instance, definition, refresh: false, context)
    }

    /// Renews tokens: one flight per token storage, in this process and, by a lease, across all.
    ///
    /// A caller with a token that is still good waits some seconds only and goes on with it; the renewal goes on too.
    ///
    /// - Parameters:
    ///   - session: The session as it was opened.
    ///   - record: What `user` knows of the instance.
    ///   - instance: Whose tokens.
    ///   - definition: Its client.
    ///   - context: The request.
    ///   - seen: Renews even a token that is good, unless it is no longer the one of this revision; nil to
    ///     renew what is due.
    /// - Throws: `.signedOut` when the grant is gone, `.providerUnavailable` while the provider cannot be asked.
    func renew(
        _ session: OpenedSession, _ record: UserRecord, _ instance: InstanceName, _ definition: ClientDefinition,
        _ context: CallContext, seen: UInt64? = nil
    ) async throws(BFFError) {
        let field = definition.tokenField(instance.account)
        let work = Renewal(
            instance: instance, definition: definition, field: field,
            userField: definition.userField(instance.account), seen: seen, context: context)
        let key = RenewalKey(session: session.key, field: field, kind: seen == nil ? .due : .forced)
        let isGood = seen == nil && record.isValid(at: time.now())
        let limit = context.deadline - settings.reserve / 2
        let result = try await wait(until: isGood ? min(limit, .now + settings.renewalPatience) : limit) { [self] in
            try await renewals.run(key) { [self] in
                try await renewAlone(session, work)
                return true
            }
        }
        if result == nil, !isGood { throw .providerUnavailable(retryAfter: .seconds(1)) }
    }

    private func renewAlone(_ session: OpenedSession, _ work: Renewal) async throws {
        let lease = try await awaitLease(session, work)
        do {
            // Read again under the lease: another process may have renewed while this one waited.
            let fresh = try await reopen(session)
            guard let tokens = fresh.tokens(work.field), let record = fresh.user(work.userField) else {
                throw BFFError.signedOut
            }
            let revision = fresh.snapshot[work.field]?.revision
            let isDue = work.seen.map { revision == $0 } ?? record.needsRenewal(at: time.now())
            if isDue { try await renew(tokens, fresh, work) }
            try? await store.release(lease)
        } catch {
            try? await store.release(lease)
            throw error
        }
    }

    /// Longer than a call to the provider and what is written after it: whoever holds the lease is done when it ends.
    private func awaitLease(_ session: OpenedSession, _ work: Renewal) async throws -> Lease {
        let name = "renew/\(work.field)/\(Base64URL.encode(session.key.bytes))"
        while ContinuousClock.now < work.context.deadline {
            do {
                if let lease = try await store.claim(name, for: work.definition.timeout + .seconds(10)) {
                    return lease
                }
            } catch {
                throw BFFError(error)
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw BFFError.providerUnavailable(retryAfter: .seconds(1))
    }

    private func renew(_ tokens: TokenSet, _ session: OpenedSession, _ work: Renewal) async throws(BFFError) {
        let sessionField = work.definition.sessionField(work.instance.account)
        let who = caller(work.definition, session.record(sessionField), work.context)
        let renewed: TokenSet
        do {
            renewed = try await obtain(tokens, work.definition, who)
        } catch {
            return try await settle(error, tokens, session, work)
        }
        guard renewed.issuer == tokens.issuer, renewed.subject == tokens.subject else {
            log(work.context).error(
                "A provider session belongs to another user than its tokens",
                metadata: ["client": .string(work.definition.name)])
            await undo([.tokens(renewed.encode(), work.definition.name)], work.context)
            try await endShared(session, sessionField, work.context)
            throw .signedOut
        }
        if let minimum = work.definition.minimum, !meets(minimum, renewed) {
            // Checked whenever a token of this client is stored: the provider may have granted less than before.
            await undo([.tokens(renewed.encode(), work.definition.name)], work.context)
            return try await drop(tokens, session, work, alsoSession: false)
        }
        try await store(renewed, replacing: tokens, session, work)
    }

    /// By the refresh token; once by the provider session where that is spent and the client has no limits of its own.
    private func obtain(
        _ tokens: TokenSet, _ definition: ClientDefinition, _ who: SignInCaller
    ) async throws(TokenFault) -> TokenSet {
        do {
            return try await definition.client.refresh(tokens, who)
        } catch {
            guard error == .invalidGrant, !definition.isElevated, let session = who.session else { throw error }
            // The session may have been used, and its tokens may call it new; this sign-in is as old as it was.
            return try await definition.client.authorize(session: session, who).limited(by: tokens)
        }
    }

    /// An outage is not a logout: the token is used while it is valid, and the next attempt comes a little later.
    ///
    /// Nothing is wrong when others renewed the tokens meanwhile: this process was late, and what it holds is spent.
    private func settle(
        _ fault: TokenFault, _ tokens: TokenSet, _ session: OpenedSession, _ work: Renewal
    ) async throws(BFFError) {
        if let current = try await reopen(session).tokens(work.field), current != tokens { return }
        switch fault {
        case .invalidGrant, .interactionNeeded:
            return try await drop(tokens, session, work, alsoSession: false)
        case .sessionEnded:
            return try await drop(tokens, session, work, alsoSession: true)
        case .refused, .unknownClient, .unsupported:
            let metadata: Logger.Metadata = [
                "check": .string(fault.check ?? ""), "client": .string(work.definition.name),
            ]
            log(work.context).error("The provider refused to renew a token", metadata: metadata)
        case .unavailable:
            log(work.context).warning(
                "The provider could not renew a token", metadata: ["client": .string(work.definition.name)])
        }
        let now = time.now()
        guard work.seen == nil, let end = tokens.expiresAt, now < end else { throw BFFError(fault) }
        let pause = min(now + settings.renewalPause, end)
        try? await edit(session) { fresh, edit throws(EditError) in
            guard var record = fresh.user(work.userField), fresh.tokens(work.field) == tokens else { return }
            record.renewFrom = pause
            try edit.put(work.userField, record.encoded)
        }
    }

    /// Forgets tokens that are of no use any more.
    ///
    /// - Throws: `.signedOut`, unless there are others meanwhile.
    private func drop(
        _ tokens: TokenSet, _ session: OpenedSession, _ work: Renewal, alsoSession: Bool
    ) async throws(BFFError) {
        let sessionField = work.definition.sessionField(work.instance.account)
        let before = session.record(sessionField)
        let isOver = try await edit(session) { fresh, edit throws(EditError) in
            let current = fresh.tokens(work.field)
            guard current == tokens, var meta = fresh.meta else { return current == nil }
            edit.delete(work.field)
            edit.delete(work.userField)
            meta.tokens.removeAll { $0.field == work.field }
            // A session that was replaced meanwhile is not the one that the provider has ended.
            if alsoSession, fresh.record(sessionField) == before {
                edit.delete(sessionField)
                edit.delete(ProofRecord.field(besides: sessionField))
                meta.sessions.removeAll { $0.field == sessionField }
            }
            try edit.put(MetaRecord.field, meta.encoded)
            return true
        }
        guard isOver else { return }
        audit(work.context, "Tokens ended by the provider", work.instance, [:])
        throw .signedOut
    }
}
