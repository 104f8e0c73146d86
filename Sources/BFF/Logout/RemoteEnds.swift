package import Basics
import OpenIDConnect
package import Sessions
package import StorageKit

/// Ends sign-ins without their cookies: for a provider's logout token, for an operator, and for a user in another
/// session.
///
/// Nothing is revoked at the provider, because only the cookie opens the tokens (docs/decisions).
package final class RemoteEnds: Sendable {
    private let environment: Environment
    private var directory: SignInDirectory { environment.directory }

    init(_ environment: Environment) { self.environment = environment }

    /// The party that ends a sign-in, as the audit names it.
    enum Party: String {
        case provider, `operator`, user
    }

    /// A user of a provider.
    package struct User: Sendable, Equatable {
        /// The provider's issuer.
        package let issuer: String
        /// The subject at the issuer.
        package let subject: String

        /// Names a user.
        package init(issuer: String, subject: String) {
            self.issuer = issuer
            self.subject = subject
        }

        var person: AuditFacts.Person { AuditFacts.Person(issuer: issuer, subject: subject) }
    }

    // MARK: Providers

    /// Ends the sign-ins that a logout token names (OpenID Connect Back-Channel Logout 1.0 section 2.7).
    ///
    /// The token's id is stored after everything has been ended, so that a provider may repeat a call that failed; until
    /// then a second call ends nothing more.
    ///
    /// - Throws: `.unknownInstance` for a name that is no client's; `.logoutTokenRefused`; `.providerUnavailable` while
    ///   the provider's keys cannot be had; `.storeUnavailable`, and then the token counts as unused; `.cancelled`.
    package func logout(
        _ name: String, token: Secret<String>, _ context: CallContext
    ) async throws(BFFError) {
        guard let client = environment.clients[name] else { throw .unknownInstance }
        let notice = try await notice(token, client, context)
        let used = Self.place(of: notice)
        let isUsed: Bool
        do { isUsed = try await environment.store.read(used, .names([])).exists } catch { throw BFFError(error) }
        // rule: a logout token counts once
        if isUsed { throw refused("jti", client, context) }
        let person = notice.subject.map { AuditFacts.Person(issuer: notice.issuer, subject: $0) }
        let account = Account(self, .provider, person, client: name, context)
        var outcome = await directory.end(notice.target(at: environment.now()), told: account.add)
        do throws(StoreError) {
            if outcome.failure == nil { try await environment.store.commit(used, .create(expires: notice.staleAt)) }
        } catch {
            // Another call with the token was faster, and has ended the same.
            if case .conflict = error { throw refused("jti", client, context) }
            outcome.failure = error
        }
        try account.close(outcome)
    }

    private func notice(
        _ token: Secret<String>, _ client: ClientDefinition, _ context: CallContext
    ) async throws(BFFError) -> LogoutNotice {
        do {
            return try await client.tokens.verify(logoutToken: token, deadline: context.deadline)
        } catch {
            switch error {
            case .refused(let check): throw refused(check, client, context)
            case .unavailable(let wait): throw .providerUnavailable(retryAfter: wait)
            case .cancelled: throw .cancelled
            }
        }
    }

    private func refused(_ check: String, _ client: ClientDefinition, _ context: CallContext) -> BFFError {
        let facts = AuditFacts(
            nil, InstanceName(client: client.name, account: ""), reason: check, more: ["by": Party.provider.rawValue])
        environment.audit.write(.remoteEnd(.refused), context, facts)
        return .logoutTokenRefused
    }

    /// The place of a token's id; issuers choose ids, so each issuer has places of its own.
    private static func place(of notice: LogoutNotice) -> SessionKey {
        let issuer = Array(notice.issuer.utf8)
        let length = (0..<4).map { UInt8(truncatingIfNeeded: issuer.count >> (8 * $0)) }
        return SessionKey(tag: Array("cloakroom logout token ".utf8) + length + issuer + notice.tokenID.utf8)
    }

    // MARK: Operators

    /// The sessions in which a user is signed in, oldest first: the newest ones, and `own` whatever its age.
    ///
    /// - Throws: `.storeUnavailable`.
    package func sessions(of user: User, own: SessionKey? = nil) async throws(BFFError) -> [ListedSession] {
        do {
            let found = try await directory.sessions(issuer: user.issuer, subject: user.subject, own: own)
            if !found.over.isEmpty {
                environment.work.background.begin { [directory] in
                    await directory.forget(found.over, ofUser: user.subject, issuer: user.issuer)
                }
            }
            return found.listed
        } catch {
            throw BFFError(error)
        }
    }

    /// Ends all sign-ins of a user who authenticated at an instant or before, also those under way.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - instant: The instant; nil for now, and a later one counts as now.
    ///   - context: The request.
    /// - Returns: The number of sessions in which a sign-in was ended.
    /// - Throws: `.storeUnavailable`; then some may be ended, and the call may be repeated.
    @discardableResult
    package func endAll(
        of user: User, until instant: Timestamp? = nil, _ context: CallContext
    ) async throws(BFFError) -> Int {
        let now = environment.now()
        let until = instant.map { min($0, now) } ?? now
        let account = Account(self, .operator, user.person, context)
        return try account.close(
            await directory.end(
                .user(issuer: user.issuer, subject: user.subject, until: until.endOfSecond, isNow: until == now),
                told: account.add))
    }

    /// Ends the sign-ins of all users who authenticated at an instant or before, also those under way.
    ///
    /// - Returns: The number of sessions in which a sign-in was ended.
    /// - Throws: `.storeUnavailable`; then some may be ended, and the call may be repeated.
    package func endEveryone(until instant: Timestamp, _ context: CallContext) async throws(BFFError) -> Int {
        let now = environment.now()
        let account = Account(self, .operator, nil, context)
        return try account.close(
            await directory.end(
                .everyone(until: min(instant, now).endOfSecond, isNow: instant >= now), told: account.add))
    }

    /// Ends the sign-ins of a user in one session.
    ///
    /// - Throws: `.unknownSession`, `.storeUnavailable`.
    package func end(id: String, of user: User, _ context: CallContext) async throws(BFFError) {
        try await end(id: id, of: user, except: nil, by: .operator, context)
    }

    /// Ends the sign-ins of a user in all sessions but one.
    func endOthers(of user: User, except own: SessionKey, _ context: CallContext) async throws(BFFError) -> Int {
        let account = Account(self, .user, user.person, context)
        return try account.close(
            await directory.endOthers(
                issuer: user.issuer, subject: user.subject, except: own, told: account.add))
    }

    /// Ends the sign-ins of a user in one session other than `own`.
    func end(
        id: String, of user: User, except own: SessionKey?, by party: Party, _ context: CallContext
    ) async throws(BFFError) {
        let account = Account(self, party, user.person, context)
        let ended = try account.close(
            await directory.end(
                id: id, issuer: user.issuer, subject: user.subject, except: own, told: account.add))
        if ended == 0 { throw .unknownSession }
    }

    // MARK: Audit

    /// Writes, or counts, that an operator's call was refused.
    package func refuse(reason: String, _ context: CallContext) {
        environment.audit.write(
            .remoteEnd(.refused), context,
            AuditFacts(nil, nil, reason: reason, more: ["by": Party.operator.rawValue]))
    }

    /// The audit's account of one call: a line for each sign-in as soon as it has ended, because the process may stop
    /// before the last one, or one line that there was none.
    private struct Account {
        let audit: AuditLog
        let instance: InstanceName?
        let person: AuditFacts.Person?
        let more: [String: String]
        let context: CallContext

        init(
            _ ends: RemoteEnds, _ party: Party, _ person: AuditFacts.Person?, client: String? = nil,
            _ context: CallContext
        ) {
            audit = ends.environment.audit
            instance = client.map { InstanceName(client: $0, account: "") }
            more = ["by": party.rawValue]
            (self.person, self.context) = (person, context)
        }

        func add(_ session: EndedSignIns) {
            var told = Set<InstanceName>()
            for part in session.parts where told.insert(part.instance).inserted {
                audit.write(.remoteEnd(.ended), context, AuditFacts(session.session, part.instance, person, more: more))
            }
        }

        /// Ends the account.
        ///
        /// - Returns: The number of sessions in which a sign-in was ended.
        /// - Throws: The error of what was not ended.
        @discardableResult
        func close(_ outcome: EndOutcome) throws(BFFError) -> Int {
            if let failure = outcome.failure { throw BFFError(failure) }
            if outcome.ended == 0 {
                audit.write(.remoteEnd(.unmatched), context, AuditFacts(nil, instance, person, more: more))
            }
            return outcome.ended
        }
    }
}

extension LogoutNotice {
    /// The sign-ins that the token ends.
    ///
    /// A token with `sid` is about that provider session alone. Providers state whole seconds; of a sign-in and a logout
    /// in the same second the logout counts. A time ahead of now, of a provider whose clock is, counts as now: sign-ins
    /// are stored with times of at most now, so a user who signs in after the logout would be refused.
    fileprivate func target(at now: Timestamp) -> EndTarget {
        // rule: a logout ahead of time counts as one of now | issuedAt.endOfSecond
        let until = min(issuedAt, now).endOfSecond
        let isNow = issuedAt >= now
        if let sessionID {
            return .providerSession(
                issuer: issuer, sessionID: sessionID, subject: subject, at: until, isNow: isNow)
        }
        return .user(issuer: issuer, subject: subject ?? "", until: until, isNow: isNow)
    }
}

extension Timestamp {
    /// The last millisecond of the instant's second.
    fileprivate var endOfSecond: Timestamp { Timestamp(seconds: seconds).adding(milliseconds: 999) }
}
