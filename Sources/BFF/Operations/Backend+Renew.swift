import Basics
import Logging
import OpenIDConnect
import StorageKit

/// One renewal: callers of the same token storage share it, whether they came for a due or a forced one.
struct RenewalKey: Hashable, Sendable {
    let session: SessionKey
    let field: String
}

/// When a token is renewed.
enum RenewalReason: Sendable, Equatable {
    /// Only when its end is near.
    case ifDue
    /// Even when it is good, unless it is no longer the one that the caller saw: then somebody renewed it meanwhile.
    case forced(seen: UInt64)
}

extension Backend {
    /// Renews the instance's tokens now.
    ///
    /// - Returns: What `user` answers with.
    /// - Throws: `.signedOut` when the grant is gone, `.providerUnavailable` while the provider cannot be asked.
    public func refreshToken(_ name: String, _ context: CallContext) async throws(BFFError) -> Reply {
        let (instance, definition) = try resolve(name)
        let tokenField = definition.tokenField(instance.account)
        guard let session = try await open(context, [definition.userField(instance.account), tokenField]),
            let seen = session.snapshot[tokenField]?.revision, session.claims.standing(at: time.now()) != .replayOnly,
            let record = session.user(definition.userField(instance.account))
        else { throw .signedOut }
        guard session.claims.standing(at: time.now()) == .current else { throw .sessionChanged }
        if record.isOver(at: time.now()) {
            await endInstance(session, instance, definition, context)
            throw .signedOut
        }
        try await renew(session, instance, definition, .forced(seen: seen), context)
        return try await renewedUser(session, instance, definition, claims: false, context)
    }

    /// Renews tokens where that is due: one flight per token storage, in this process and, by a lease, across all.
    func renew(
        _ session: OpenedSession, _ instance: InstanceName, _ definition: ClientDefinition, _ reason: RenewalReason,
        _ context: CallContext
    ) async throws(BFFError) {
        let field = definition.tokenField(instance.account)
        do {
            _ = try await renewals.run(RenewalKey(session: session.key, field: field)) { [self] in
                try await renewAlone(session, instance, definition, reason, context)
                return true
            }
        } catch let error as BFFError {
            throw error
        } catch {
            throw .cancelled
        }
    }

    private func renewAlone(
        _ session: OpenedSession, _ instance: InstanceName, _ definition: ClientDefinition, _ reason: RenewalReason,
        _ context: CallContext
    ) async throws {
        let field = definition.tokenField(instance.account)
        let lease = try await awaitLease("renew/\(field)", session, definition, context)
        do {
            // Read again under the lease: another process may have renewed while this one waited.
            let fresh = try await reopen(session)
            guard let tokens = fresh.tokens(field), let record = fresh.user(definition.userField(instance.account))
            else { throw BFFError.signedOut }
            if isDue(fresh.snapshot[field]?.revision, record, reason) {
                try await renew(tokens, fresh, instance, definition, reason, context)
            }
            try? await store.release(lease)
        } catch {
            try? await store.release(lease)
            throw error
        }
    }

    private func isDue(_ revision: UInt64?, _ record: UserRecord, _ reason: RenewalReason) -> Bool {
        switch reason {
        case .ifDue: record.needsRenewal(at: time.now())
        case .forced(let seen): revision == seen
        }
    }

    private func awaitLease(
        _ name: String, _ session: OpenedSession, _ definition: ClientDefinition, _ context: CallContext
    ) async throws -> Lease {
        let name = name + "/" + Base64URL.encode(session.key.bytes)
        while ContinuousClock.now < context.deadline {
            do {
                if let lease = try await store.claim(name, for: definition.timeout + .seconds(10)) { return lease }
            } catch {
                throw BFFError(error)
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw BFFError.providerUnavailable(retryAfter: .seconds(1))
    }

    private func renew(
        _ tokens: TokenSet, _ session: OpenedSession, _ instance: InstanceName, _ definition: ClientDefinition,
        _ reason: RenewalReason, _ context: CallContext
    ) async throws(BFFError) {
        let who = caller(definition, session.record(definition.sessionField(instance.account)), context)
        let renewed: TokenSet
        do {
            renewed = try await obtain(tokens, definition, who)
        } catch {
            // An outage is not a logout: the token is used while it is valid.
            let isStillGood = reason == .ifDue && tokens.isValid(at: time.now())
            switch error {
            case .invalidGrant, .interactionNeeded:
                try await drop(tokens, session, instance, definition, alsoSession: false)
                throw .signedOut
            case .sessionEnded:
                try await drop(tokens, session, instance, definition, alsoSession: true)
                throw .signedOut
            case .refused(let check):
                let metadata: Logger.Metadata = ["check": .string(check), "client": .string(definition.name)]
                log(context).error("The provider refused to renew a token", metadata: metadata)
                if !isStillGood { throw .providerRefused }
            case .unavailable(let wait):
                if !isStillGood { throw .providerUnavailable(retryAfter: wait) }
            }
            return
        }
        try await store(renewed, replacing: tokens, session, instance, definition, context)
    }

    /// By the refresh token; once by the provider session where that is spent and the client has no limits of its own.
    private func obtain(
        _ tokens: TokenSet, _ definition: ClientDefinition, _ who: SignInCaller
    ) async throws(TokenFault) -> TokenSet {
        do {
            return try await definition.client.refresh(tokens, who)
        } catch {
            guard error == .invalidGrant, !definition.isElevated, who.session != nil else { throw error }
        }
        guard let session = who.session else { throw .invalidGrant }
        let obtained = try await definition.client.authorize(session: session, who)
        guard obtained.issuer == tokens.issuer, obtained.subject == tokens.subject else { throw .sessionEnded }
        return obtained
    }

    /// Writes renewed tokens in the place of the ones they were made from; tokens that found their place changed, as by
    /// a logout meanwhile, are revoked.
    private func store(
        _ renewed: TokenSet, replacing old: TokenSet, _ session: OpenedSession, _ instance: InstanceName,
        _ definition: ClientDefinition, _ context: CallContext
    ) async throws(BFFError) {
        let field = definition.tokenField(instance.account)
        let userField = definition.userField(instance.account)
        let facts = session.record(definition.sessionField(instance.account)).map(definition.client.sessionFacts)
        do {
            try await edit(session) { fresh, edit throws(EditError) in
                guard fresh.tokens(field) == old, let known = fresh.user(userField), var meta = fresh.meta else {
                    throw .refused(.signedOut)
                }
                let claims = known.hasClaims ? UserDocument.claims(in: known.head) : nil
                var record = self.userRecord(
                    renewed, claims: claims, facts: facts, definition, epoch: known.epoch, limitEnd: known.limitEnd)
                record.hasClaims = known.hasClaims
                if let index = meta.tokens.firstIndex(where: { $0.field == field }) {
                    meta.tokens[index].accessEnd = renewed.expiresAt
                }
                try edit.put(field, renewed.encode())
                try edit.put(userField, record.encoded)
                try edit.put(MetaRecord.field, meta.encoded)
            }
        } catch {
            await undo([.tokens(renewed.encode(), definition.name)], context)
            throw error
        }
    }

    /// Forgets tokens that are of no use any more.
    private func drop(
        _ tokens: TokenSet, _ session: OpenedSession, _ instance: InstanceName, _ definition: ClientDefinition,
        alsoSession: Bool
    ) async throws(BFFError) {
        let field = definition.tokenField(instance.account)
        let sessionField = definition.sessionField(instance.account)
        try await edit(session) { fresh, edit throws(EditError) in
            guard fresh.tokens(field) == tokens, var meta = fresh.meta else { return }
            edit.delete(field)
            edit.delete(definition.userField(instance.account))
            meta.tokens.removeAll { $0.field == field }
            if alsoSession {
                edit.delete(sessionField)
                meta.sessions.removeAll { $0.field == sessionField }
            }
            try edit.put(MetaRecord.field, meta.encoded)
        }
    }
}

extension TokenSet {
    /// Whether the access token is good; one without an end is good until the provider says otherwise.
    fileprivate func isValid(at now: Timestamp) -> Bool {
        expiresAt.map { now < $0 } ?? true
    }
}
