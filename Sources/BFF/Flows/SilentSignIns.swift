import Basics
import Logs
import OpenIDConnect
import Sessions
import StorageKit

/// Gets tokens for an instance that has none, by the provider session of its browser session and without the user.
///
/// It does what a `start` would do, once, when an instance is used.
///
/// It gets none for a client with limits or a minimum, and none after the instance was signed out by itself or after
/// the provider gave it none: then only a sign-in brings tokens.
final class SilentSignIns: Sendable {
    private let environment: Environment
    private let sessions: BrowserSessions
    private let renewal: TokenRenewal
    private let signIns: SignIns
    private let cleanup: SessionCleanup
    /// The ends of the pauses in which a provider that could not give tokens is not asked again, as after a failed
    /// renewal.
    private let pauses = Locked<[FlightKey: Timestamp]>([:])

    init(_ renewal: TokenRenewal, _ signIns: SignIns, _ cleanup: SessionCleanup) {
        environment = cleanup.environment
        sessions = cleanup.sessions
        self.renewal = renewal
        self.signIns = signIns
        self.cleanup = cleanup
    }

    /// Gets tokens if the instance has none.
    ///
    /// - Returns: True if the instance has tokens now.
    /// - Throws: `.unknownInstance`, `.sessionChanged`, `.providerUnavailable`, `.providerRefused`,
    ///   `.storeUnavailable`.
    func obtain(_ name: String, _ context: CallContext) async throws(BFFError) -> Bool {
        let call = try environment.call(name, context)
        // rule: a client with limits signs in by its user alone
        guard !call.client.isElevated, context.cookie != nil else { return false }
        let fields = [call.userField, call.sessionField, Self.mark(besides: call.tokenField)]
        guard let session = try await sessions.open(context, fields) else { return false }
        // Another request got them meanwhile.
        if session.snapshot[call.userField] != nil { return true }
        // rule: an overtaken cookie gets no tokens
        guard !session.isOvertaken(at: environment.now()) else { throw .sessionChanged }
        guard isPossible(session, call) else { return false }
        let limit = context.deadline - environment.settings.reserve / 2
        let flight = FlightKey(session: session.key, field: call.tokenField)
        // rule: a provider that is away is not asked at once again
        if let wait = pause(flight) { throw .providerUnavailable(retryAfter: wait) }
        let isObtained = try await environment.work.silentSignIns.share(flight, until: limit) { [self] in
            // Another process may be getting them.
            try await renewal.underLease(session, Renewal(call: call, seen: nil)) { fresh, _ in
                try await attempt(fresh, call)
            }
        }
        guard let isObtained else { throw .providerUnavailable(retryAfter: .seconds(1)) }
        return isObtained
    }

    private func pause(_ flight: FlightKey) -> Duration? {
        let now = environment.now()
        guard let end = pauses.withLock({ $0[flight] }), now < end else { return nil }
        return .milliseconds(end.milliseconds - now.milliseconds)
    }

    private func beginPause(_ flight: FlightKey) {
        let now = environment.now()
        let end = now + environment.settings.renewalPause
        pauses.withLock { pauses in
            if pauses.count >= 1000 { pauses = pauses.filter { now < $0.value } }
            // A pause that is not remembered costs one more call.
            if pauses.count < 1000 { pauses[flight] = end }
        }
    }

    /// True if an instance without tokens may get some; decides without waiting.
    func isPossibleAtOnce(
        _ instance: InstanceName, _ client: ClientDefinition, _ cookie: String?
    ) throws(BFFError) -> Bool {
        guard !client.isElevated else { return false }
        let field = client.sessionField(instance.account)
        guard case .opened(let session) = try sessions.records.openAtOnce(cookie, field, at: environment.now()) else {
            return true
        }
        return session.claims.isSignedIn && session.snapshot[field] != nil
    }

    /// The field that marks an instance that gets no tokens without a sign-in.
    static func mark(besides tokenField: String) -> String { "signed-out/" + tokenField }

    private func isPossible(_ session: OpenedSession, _ call: InstanceCall) -> Bool {
        session.claims.status(at: environment.now()) == .current && session.claims.isSignedIn
            && session.snapshot[call.userField] == nil && session.snapshot[call.sessionField] != nil
            && session.snapshot[Self.mark(besides: call.tokenField)] == nil
    }

    private func attempt(_ session: OpenedSession, _ call: InstanceCall) async throws(BFFError) -> Bool {
        if try isObtained(call, in: session) { return true }
        guard isPossible(session, call), let known = session.record(call.sessionField),
            let user = session.meta?.user(of: call.sessionField)
        else { return false }
        let signIn: SignIn
        var renewed = known
        do {
            signIn = try await call.client.flows.authorize(session: &renewed, call.caller())
        } catch {
            let unkept = await sessions.records.keep(renewed, of: known, call, session)
            await sessions.revocations.revokeInBackground(unkept, call.context)
            return try await settle(error, session, call)
        }
        let tokens = signIn.tokens
        // rule: tokens of a session are of its own user
        guard tokens.issuer.isSameText(as: user.issuer), tokens.subject.isSameText(as: user.subject) else {
            try await renewal.endForeign(tokens, from: signIn.session, in: session, call)
            return false
        }
        let work = StartWork(call, asked: (StartRequest(), nil), opened: (session, false), now: environment.now())
        var plan = SignInPlan(signIn, work)
        plan.isByUse = true
        do throws(BFFError) {
            _ = try await signIns.finish(plan, session)
            return true
        } catch .signInEnded {
            // By now the provider session may be kept under the name that it has since it was asked.
            let fresh = try await sessions.records.reopen(session)
            guard [known, plan.signIn.session].contains(fresh.record(call.sessionField)) else {
                return try isObtained(call, in: fresh)
            }
            return try await endProviderSession(fresh, call)
        } catch {
            // The user signed out or in meanwhile, or another user did; the tokens are revoked.
            guard [.signedOut, .sessionChanged, .subjectChanged].contains(error) else { throw error }
            return try isObtained(call, in: try await sessions.records.reopen(session))
        }
    }

    /// Ends the provider session that was asked, because its user was ended.
    ///
    /// - Returns: True if the instance has tokens meanwhile, by another provider session.
    private func endProviderSession(
        _ session: OpenedSession, _ call: InstanceCall
    ) async throws(BFFError) -> Bool {
        do throws(BFFError) {
            try await cleanup.endProviderSession(session, call.sessionField, because: .user, call.context)
            return false
        } catch {
            guard error == .sessionChanged else { throw error }
            return try isObtained(call, in: try await sessions.records.reopen(session))
        }
    }

    /// True if the instance has tokens in a session that was read again.
    ///
    /// - Throws: `.sessionChanged` when the instance has none and a sign-in has replaced the ticket meanwhile: the new
    ///   ticket may get some.
    private func isObtained(_ call: InstanceCall, in session: OpenedSession) throws(BFFError) -> Bool {
        if session.user(call.userField) != nil { return true }
        guard session.claims.status(at: environment.now()) == .current else { throw .sessionChanged }
        return false
    }

    private func settle(
        _ failure: TokenError, _ session: OpenedSession, _ call: InstanceCall
    ) async throws(BFFError) -> Bool {
        switch failure {
        case .sessionEnded:
            try await cleanup.endProviderSession(session, call.sessionField, because: .session, call.context)
        case .invalidGrant, .noRefreshToken, .tooWeak, .loginRequired, .consentRequired:
            let field = Self.mark(besides: call.tokenField)
            try await sessions.records.edit(session) { _, edit throws(EditError) in edit.leave(field) }
        case .unavailable(let wait):
            beginPause(FlightKey(session: session.key, field: call.tokenField))
            throw .providerUnavailable(retryAfter: wait)
        case .refused, .unknownClient, .misconfigured, .unsupported:
            environment.logRefusal(failure, "The provider refused tokens for a session", call)
            beginPause(FlightKey(session: session.key, field: call.tokenField))
            throw .providerRefused
        }
        return false
    }
}

extension SignInPlan {
    /// True if the instance still has no tokens and was not signed out, and its provider session is the one that was
    /// asked.
    func isStillWanted(in session: OpenedSession) -> Bool {
        session.snapshot[SilentSignIns.mark(besides: tokenField)] == nil && session.snapshot[userField] == nil
            && session.record(sessionField) == sessionBefore
    }
}
