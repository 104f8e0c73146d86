import Basics
import Logs
import OpenIDConnect
import Orchestrate
import Sessions
import StorageKit

/// Renews the tokens of instances at their providers.
final class TokenRenewal: Sendable {
    let environment: Environment
    let records: SessionRecords
    let revocations: Revocations
    let cleanup: SessionCleanup

    init(_ records: SessionRecords, _ revocations: Revocations, _ cleanup: SessionCleanup) {
        environment = records.environment
        self.records = records
        self.revocations = revocations
        self.cleanup = cleanup
    }

    /// Renews tokens: one renewal in flight per token storage, in this process and, by a lease, across all processes.
    ///
    /// A caller whose token is still good waits some seconds only and goes on with that token; the renewal continues.
    ///
    /// - Parameters:
    ///   - session: The session as it was opened.
    ///   - record: The user record of the instance.
    ///   - call: The request to the instance.
    ///   - seen: Renews even a token that is good, if it is still the one of this revision; nil to renew only when due.
    /// - Throws: `.signedOut` when the grant is gone, `.stepUpRequired` or `.interactionNeeded` when the provider gives
    ///   no tokens without the user, `.providerUnavailable` while it cannot be asked.
    func renew(
        _ session: OpenedSession, _ record: UserRecord, _ call: InstanceCall, seen: UInt64? = nil
    ) async throws(BFFError) {
        do {
            try await renewQuietly(session, record, call, seen: seen)
        } catch .stepUpRequired {
            throw environment.offerOwnFlow(call, session.key)
        }
    }

    /// Like `renew(_:_:_:seen:)`, for a caller that may have another token: the audit is not told of an offered
    /// step-up.
    func renewQuietly(
        _ session: OpenedSession, _ record: UserRecord, _ call: InstanceCall, seen: UInt64? = nil
    ) async throws(BFFError) {
        let settings = environment.settings
        let work = Renewal(call: call, seen: seen)
        let flight = FlightKey(session: session.key, field: work.field, isForced: seen != nil)
        let isGood = seen == nil && record.isValid(at: environment.now())
        let limit = call.context.deadline - settings.reserve / 2
        let patience = isGood ? min(limit, .now + settings.renewalPatience) : limit
        let result = try await environment.work.renewals.share(flight, until: patience) { [self] in
            try await renewAlone(session, work)
            return true
        }
        if result == nil, !isGood { throw .providerUnavailable(retryAfter: .seconds(1)) }
    }

    private func renewAlone(_ session: OpenedSession, _ work: Renewal) async throws {
        _ = try await underLease(session, work) { fresh, lease in
            guard let tokens = fresh.tokens(work.field), let record = fresh.user(work.userField) else {
                throw BFFError.signedOut
            }
            let isDue =
                work.seen.map { isSame(fresh, as: session, at: $0, work.field) }
                ?? record.needsRenewal(at: environment.now())
            if isDue { try await renew(tokens, fresh, work, lease) }
            return isDue
        }
    }

    /// True if a session has the tokens of a revision: a spent refresh token that was forgotten changes the revision, and
    /// not the access token.
    private func isSame(_ fresh: OpenedSession, as session: OpenedSession, at seen: UInt64, _ field: String) -> Bool {
        if fresh.snapshot[field]?.revision == seen { return true }
        guard session.snapshot[field]?.revision == seen, let known = session.tokens(field) else { return false }
        // rule: tokens without their spent refresh token are not renewed | false
        return fresh.tokens(field)?.accessToken == known.accessToken
    }

    /// Runs work on the tokens of an instance under a lease, so that no other process does; the session is read again
    /// first.
    func underLease(
        _ session: OpenedSession, _ work: Renewal, _ body: (OpenedSession, Lease) async throws -> Bool
    ) async throws -> Bool {
        let lease = try await awaitLease(session, work)
        do {
            // Read again under the lease: another process may have renewed while this one waited.
            let result = try await body(try await records.reopen(session), lease)
            try? await environment.store.release(lease)
            return result
        } catch {
            try? await environment.store.release(lease)
            throw error
        }
    }

    private func awaitLease(_ session: OpenedSession, _ work: Renewal) async throws(BFFError) -> Lease {
        let name = "renew/\(work.field)/\(Base64URL.encode(session.key.bytes))"
        if let lease = try await claim(name, work) { return lease }
        let lease = try await environment.waits.value(
            of: .lease(name), until: work.call.context.deadline
        ) { () throws(BFFError) in try await claim(name, work) }
        guard let lease else { throw .providerUnavailable(retryAfter: .seconds(1)) }
        return lease
    }

    /// Claims the lease for longer than the call to the provider and the writes after it, so that its holder is done
    /// when it ends; `keep` is for an answer that comes late.
    private func claim(_ name: String, _ work: Renewal) async throws(BFFError) -> Lease? {
        do {
            return try await environment.store.claim(name, for: work.call.client.timeout + .seconds(10))
        } catch {
            throw BFFError(error)
        }
    }

    /// The longest that the writes after a provider's answer take, repeated as often as they are.
    private static let writing = Duration.seconds(20)

    /// Makes the lease last for the writes after an answer that came late.
    ///
    /// It may be lost by then: what is written is compared with what is stored all the same.
    private func keep(_ lease: Lease) async {
        // rule: a lease lasts for the writes after a late answer
        guard lease.expires < environment.now() + Self.writing else { return }
        _ = try? await environment.store.renew(lease, for: Self.writing)
    }

    private func renew(
        _ tokens: TokenSet, _ session: OpenedSession, _ work: Renewal, _ lease: Lease
    ) async throws(BFFError) {
        let client = work.call.client
        let renewed: TokenSet
        let before = session.record(work.call.sessionField)
        var kept = before
        var isSpent = false
        do {
            renewed = try await obtain(tokens, work.call, session: &kept, isSpent: &isSpent)
        } catch {
            let unkept = await records.keep(kept, of: before, work.call, session)
            await revocations.revokeInBackground(unkept, work.call.context)
            return try await settle(error, isSpent: isSpent, tokens: tokens, session, for: work)
        }
        await keep(lease)
        // rule: tokens are renewed for the same user
        guard renewed.isSameUser(as: tokens) else {
            try await endForeign(renewed, from: kept, in: session, work.call)
            throw .signedOut
        }
        // rule: renewed tokens meet their client's minimum
        if let minimum = client.minimum, !environment.requirements.meets(minimum, renewed) {
            // Each token of this client is checked before it is stored, because the provider may have granted less than
            // before.
            await revocations.revokeInBackground([.tokens(renewed.encoded, client.name)], work.call.context)
            return try await drop(tokens, session, for: work, because: .unmet)
        }
        // rule: renewed tokens of a session that the provider has ended are none
        if let end = renewed.sessionEnd, end <= environment.now() {
            await revocations.revokeInBackground([.tokens(renewed.encoded, client.name)], work.call.context)
            return try await drop(tokens, session, for: work, because: .expiry)
        }
        do throws(BFFError) {
            guard try await store(renewed, replacing: tokens, keeping: kept, session, work) else { return }
        } catch .signInEnded {
            return try await endSignIn(tokens, session, work)
        }
        environment.audit.write(
            .refresh(.done), work.call.context, AuditFacts(session.key, work.call.instance, renewed.person))
    }

    /// Ends the tokens of another user that a provider session gave, and all sign-ins that share the session.
    func endForeign(
        _ tokens: TokenSet, from kept: [UInt8]?, in session: OpenedSession, _ call: InstanceCall
    ) async throws(BFFError) {
        environment.log(call.context).error(
            "A provider session belongs to another user than its tokens",
            metadata: ["client": .string(call.client.name)])
        var ended = [Revocable.tokens(tokens.encoded, call.client.name)]
        if let kept, kept != session.record(call.sessionField) { ended.append(.session(kept, call.client.name)) }
        await revocations.revokeInBackground(ended, call.context)
        try await cleanup.endShared(session, call.sessionField, call.context)
    }

    /// Asks the provider for new tokens by the refresh token, or once by the provider session.
    ///
    /// The session is asked where there is no refresh token, or it is spent, and the client has no limits of its own.
    /// `isSpent` becomes true when the provider says `invalid_grant`; `session` becomes the session as the provider
    /// returns it.
    private func obtain(
        _ tokens: TokenSet, _ call: InstanceCall, session: inout [UInt8]?, isSpent: inout Bool
    ) async throws(TokenError) -> TokenSet {
        let client = call.client
        let caller = call.caller()
        var failure = TokenError.noRefreshToken
        if tokens.refreshToken != nil {
            do {
                return try await client.tokens.refresh(tokens, deadline: caller.deadline)
            } catch {
                // rule: a spent refresh token alone asks the session
                guard error == .invalidGrant else { throw error }
                (failure, isSpent) = (error, true)
            }
        }
        // rule: a client with limits is not renewed by the session
        guard !client.isElevated, var known = session else { throw failure }
        defer { session = known }
        // The session may have been used, and its tokens may call it new; the sign-in keeps the time that it had.
        let signIn = try await client.flows.authorize(session: &known, caller)
        known = signIn.session
        // rule: a session renews tokens no stronger than they were | signIn.tokens
        return signIn.tokens.limited(by: tokens)
    }

    /// Decides what a failed renewal means: an outage is not a logout, so a valid token is used and renewed a little
    /// later.
    ///
    /// Only the provider's `invalid_grant` ends a valid token. If another process has renewed the tokens meanwhile,
    /// nothing is wrong: this process was late, and the refresh token that it holds is spent.
    private func settle(
        _ failure: TokenError, isSpent: Bool, tokens: TokenSet, _ session: OpenedSession, for work: Renewal
    ) async throws(BFFError) {
        // rule: tokens that others renewed are left alone
        if let current = try await records.reopen(session).tokens(work.field), current != tokens { return }
        let now = environment.now()
        let isGood = tokens.expiresAt.map { now < $0 } ?? true
        if let end = failure.end(isSpent: isSpent, isGood: isGood) {
            return try await drop(tokens, session, for: work, because: end)
        }
        tell(failure, tokens: tokens, session, for: work)
        let isUsable = work.seen == nil && isGood && tokens.expiresAt != nil
        if isUsable || isSpent {
            let pause = isUsable ? tokens.expiresAt.map { min(now + environment.settings.renewalPause, $0) } : nil
            try? await keep(tokens, until: pause, withoutRefresh: isSpent && failure.needsUser, session, work)
        }
        guard !isUsable else { return }
        switch failure {
        case .tooWeak, .noRefreshToken, .sessionEnded:
            throw .stepUpRequired(environment.requirements.ownFlow(of: work.call))
        default: throw BFFError(failure)
        }
    }

    /// Writes to the log and the audit that tokens could not be renewed now.
    private func tell(_ failure: TokenError, tokens: TokenSet, _ session: OpenedSession, for work: Renewal) {
        let isAway = if case .unavailable = failure { true } else { false }
        if isAway {
            environment.log(work.call.context).warning(
                "The provider could not renew a token", metadata: ["client": .string(work.call.client.name)])
        }
        environment.logRefusal(failure, "The provider refused to renew a token", work.call)
        environment.audit.write(
            .refresh(.failed), work.call.context,
            AuditFacts(
                session.key, work.call.instance, tokens.person,
                reason: isAway ? "provider-unavailable" : "provider-refused"))
    }

    /// Keeps tokens that could not be renewed; if there is a pause, the next attempt comes after it.
    private func keep(
        _ tokens: TokenSet, until pause: Timestamp?, withoutRefresh isSpent: Bool, _ session: OpenedSession,
        _ work: Renewal
    ) async throws(BFFError) {
        try await records.edit(session) { fresh, edit throws(EditError) in
            guard var record = fresh.user(work.userField), fresh.tokens(work.field) == tokens else { return }
            if let pause {
                record.renewFrom = pause
                try edit.put(work.userField, record.encoded)
            }
            // rule: a spent refresh token is not sent again
            if isSpent {
                // A spent refresh token that is sent again looks like a stolen one to the provider.
                var kept = tokens
                kept.refreshToken = nil
                try edit.put(work.field, kept.encoded)
            }
        }
    }

    /// Forgets tokens that are of no more use.
    ///
    /// - Throws: `.signedOut`, unless the instance has other tokens meanwhile.
    private func drop(
        _ tokens: TokenSet, _ session: OpenedSession, for work: Renewal, because end: RenewalEnd
    ) async throws(BFFError) {
        let sessionField = work.call.sessionField
        let before = session.record(sessionField)
        let isOver = try await records.edit(session) { fresh, edit throws(EditError) in
            let current = fresh.tokens(work.field)
            // rule: tokens that others stored are not dropped
            guard current == tokens, var meta = fresh.meta else { return current == nil }
            edit.delete(work.field)
            edit.delete(work.userField)
            // rule: after the provider's end of a session nobody is signed in silently
            if end == .expiry { edit.leave(SilentSignIns.mark(besides: work.field)) }
            meta.tokens.removeAll { $0.field == work.field }
            // If the session was replaced meanwhile, it is not the session that the provider has ended.
            // rule: a session that others replaced is not dropped
            if end == .session, fresh.record(sessionField) == before {
                edit.delete(sessionField)
                edit.delete(ProofRecord.field(besides: sessionField))
                meta.sessions.removeAll { $0.field == sessionField }
            }
            try edit.put(MetaRecord.field, meta.encoded)
            return true
        }
        guard isOver else { return }
        environment.work.sessions.ends.note(session.key, work.call.instance, .ended)
        environment.audit.write(
            .refresh(.ended), work.call.context,
            AuditFacts(session.key, work.call.instance, tokens.person, reason: end.rawValue))
        throw .signedOut
    }
}

extension TokenError {
    /// The reason why tokens end after a renewal failed; nil for tokens that stay.
    ///
    /// The refresh token may be spent; an access token stays until it expires.
    func end(isSpent: Bool, isGood: Bool) -> RenewalEnd? {
        switch self {
        case .invalidGrant: .grant
        case .sessionEnded: isSpent || !isGood ? .session : nil
        case .noRefreshToken, .loginRequired: isGood ? nil : .grant
        case .tooWeak, .consentRequired, .unavailable, .refused, .unknownClient, .misconfigured, .unsupported: nil
        }
    }

    /// True if the provider session lives and gives tokens only with the user's help.
    fileprivate var needsUser: Bool { [.tooWeak, .loginRequired, .consentRequired].contains(self) }
}
