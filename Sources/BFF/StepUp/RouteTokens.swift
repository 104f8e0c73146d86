import Basics
import OpenIDConnect
import ResourceServer
import Sessions
import StorageKit

/// Chooses the tokens of calls to routes, and renews them where that is due.
final class RouteTokens: Sendable {
    private let environment: Environment
    private let sessions: BrowserSessions
    private let records: SessionRecords
    private let renewal: TokenRenewal
    private let cleanup: SessionCleanup
    private let offers: StepUpOffers
    private let prolongation: SessionProlongation
    private let silent: SilentSignIns

    init(
        _ renewal: TokenRenewal, _ cleanup: SessionCleanup, _ offers: StepUpOffers, _ prolongation: SessionProlongation,
        _ silent: SilentSignIns
    ) {
        self.silent = silent
        environment = offers.environment
        sessions = offers.sessions
        records = sessions.records
        self.renewal = renewal
        self.cleanup = cleanup
        self.offers = offers
        self.prolongation = prolongation
    }

    /// Chooses the token of a call to a route: that of the first client whose token meets the route's demand.
    ///
    /// There is no fall-back to another account, and an elevated token never replaces the standard token.
    ///
    /// - Parameters:
    ///   - route: The route, with its demand.
    ///   - account: The account; empty for the default one.
    ///   - isUnderWay: True if the same call had a token before: a cookie that was replaced meanwhile then throws
    ///     `.sessionChanged`, not `.signedOut`.
    ///   - context: The request.
    /// - Returns: nil for a route that demands nothing.
    /// - Throws: `.signedOut`, `.sessionChanged`, `.deviceRequired`, `.stepUpRequired`, `.stepUpFailed` after two step-ups that did not
    ///   help, `.stepUpUnavailable`, and the errors of renewing a token.
    func token(
        for route: RouteDefinition, account: String, isUnderWay: Bool = false, _ context: CallContext
    ) async throws(BFFError) -> RouteToken? {
        do throws(BFFError) {
            return try await known(for: route, account: account, context)
        } catch .signedOut {
            if isUnderWay, try await sessions.isReplaced(context) { throw .sessionChanged }
            for client in route.clients {
                let instance = InstanceName(client: client, account: account)
                guard try await silent.obtain(instance.text, context) else { continue }
                return try await known(for: route, account: account, context)
            }
            throw .signedOut
        }
    }

    /// Like `token(for:account:isUnderWay:_:)`, without a silent sign-in: only clients that have tokens count.
    private func known(
        for route: RouteDefinition, account: String, _ context: CallContext
    ) async throws(BFFError) -> RouteToken? {
        if route.demand == .none { return nil }
        let candidates = try candidates(route, account, context)
        // rule: what a requirement protects is called by no copy | environment.strategy(of: candidates.map(\.client))
        let strategy = route.demand == .signedIn ? environment.strategy(of: candidates.map(\.client)) : nil
        if let token = copied(route, candidates, strategy, isStoreAway: false, context) { return token }
        let opened: OpenedSession?
        do {
            opened = try await sessions.open(context, fields(of: candidates), keeping: strategy)
        } catch {
            guard error.isStoreAway, let token = copied(route, candidates, strategy, isStoreAway: true, context) else {
                throw error
            }
            sessions.noteOutage()
            return token
        }
        guard let session = opened else { throw .signedOut }
        let now = environment.now()
        // rule: a dead cookie calls no route
        guard session.claims.status(at: now) != .replayOnly else { throw .signedOut }
        let attempts = session.stepUpAttempts
        let raised = attempts.raised(route.id, account: account, at: now)
        var isSignedIn = false
        var isOvertaken = session.isOvertaken(at: now)
        var refusal = BFFError.signedOut
        var tooWeak: InstanceCall?
        for candidate in preferred(candidates, raised?.client) {
            let found: RouteToken?
            do {
                found = try await usable(candidate, extendsIdle: route.extendsIdle, session)
            } catch .stepUpRequired {
                // Another client's token may still meet the demand.
                tooWeak = candidate
                continue
            } catch .interactionNeeded {
                (refusal, tooWeak) = (.interactionNeeded, nil)
                continue
            } catch .sessionChanged {
                isOvertaken = true
                continue
            }
            guard var token = found else { continue }
            isSignedIn = true
            // No step-up would help: a session is bound at its sign-in or never.
            // rule: a route for bound sessions is called by one
            guard isBoundEnough(session, for: route.demand) else { throw .deviceRequired }
            token.hasAttempts = attempts.hasAttempts(route.id, account: account, at: environment.now())
            // rule: a transaction is of the token's own user | raised?.transaction
            token.transaction = raised?.transaction.flatMap { $0.isOf(token.facts) ? $0 : nil }
            // rule: a token goes out that meets the route
            if isMet(route.demand, by: token.facts) { return token }
        }
        if isOvertaken { throw .sessionChanged }
        guard isSignedIn else { throw tooWeak.map { environment.offerOwnFlow($0, session.key) } ?? refusal }
        guard case .requirement(let name) = route.demand, let requirement = environment.requirements[name] else {
            throw .signedOut
        }
        throw try await offers.offer(
            requirement, goal: name, RouteCall(route: route.id, account: account, target: nil), in: session, context)
    }

    /// The token of a call from a copy; nil where the store has to be asked.
    ///
    /// A session with attempts at step-ups is never called by a copy: what they brought may be used once.
    private func copied(
        _ route: RouteDefinition, _ candidates: [InstanceCall], _ strategy: StorageStrategy?, isStoreAway: Bool,
        _ context: CallContext
    ) -> RouteToken? {
        guard strategy != nil else { return nil }
        let fields = fields(of: candidates)
        let now = environment.now()
        guard let session = sessions.copy(context, fields, strategy, isStoreAway: isStoreAway) else { return nil }
        // rule: a copy with attempts at step-ups calls nothing
        guard session.snapshot[StepUpAttempts.field] == nil,
            let candidate = candidates.first(where: { session.snapshot[$0.userField] != nil }),
            let record = try? session.user(candidate.userField, at: now)
        else { return nil }
        // rule: a copy of a token that is over calls nothing
        guard !record.isOver(at: now), record.isValid(at: now) else { return nil }
        if !isStoreAway {
            // rule: a copy calls nothing while something is due
            guard !record.needsRenewal(at: now), !route.extendsIdle || !isUseDue(record, candidate, session) else {
                return nil
            }
        }
        return routeToken(candidate, session)
    }

    /// True if the use of a session has to be written, or its provider session prolonged.
    private func isUseDue(_ record: UserRecord, _ candidate: InstanceCall, _ session: OpenedSession) -> Bool {
        let now = environment.now()
        return environment.idleExtension.end(of: session, at: now) != nil
            || environment.idleExtension.isUseDue(record, at: now)
            || prolongation.isDue(session, candidate.client, candidate.instance.account, at: now)
    }

    /// Replaces a token that the upstream called invalid: renews it once, then chooses by the tokens as they are now.
    ///
    /// The renewed token may be weaker than the one before, or the renewal may end the token: then another client's
    /// token goes out, or a step-up is offered. The end of this one token does not sign the user out.
    ///
    /// - Parameters:
    ///   - refused: The token that the refused call carried.
    ///   - route: The route of the call.
    ///   - context: The request.
    /// - Returns: The token for the same call.
    /// - Throws: The errors of `token(for:account:isUnderWay:_:)` and of a renewal; `.providerRefused` for a token of a
    ///   client with limits that has no refresh token.
    func renewedToken(
        after refused: RouteToken, for route: RouteDefinition, _ context: CallContext
    ) async throws(BFFError) -> RouteToken {
        guard let client = environment.clients[refused.instance.client] else { throw .signedOut }
        let candidate = InstanceCall(
            instance: refused.instance, client: client, context: context, audit: environment.audit)
        guard let session = try await sessions.open(context, fields(of: [candidate])) else {
            throw try await sessions.isReplaced(context) ? .sessionChanged : .signedOut
        }
        // A cookie that was replaced renews nothing.
        // rule: a cookie that was replaced renews nothing for a route
        guard session.claims.status(at: environment.now()) == .current else { throw .sessionChanged }
        if let record = session.user(candidate.userField), let tokens = session.tokens(candidate.tokenField) {
            // Such a token cannot be renewed, and the refusal of one API does not end it for the others.
            guard tokens.refreshToken != nil || !client.isElevated else { throw .providerRefused }
            do {
                try await renewal.renew(session, record, candidate, seen: refused.revision)
            } catch .signedOut {
                // The token has ended; the choice below says what that means for the call.
            }
        }
        let account = refused.instance.account
        guard var token = try await token(for: route, account: account, isUnderWay: true, context) else {
            throw .signedOut
        }
        token.transaction = refused.transaction.flatMap { $0.isOf(token.facts) ? $0 : nil }
        return token
    }

    private func candidates(
        _ route: RouteDefinition, _ account: String, _ context: CallContext
    ) throws(BFFError) -> [InstanceCall] {
        // rule: a route is called for an account of the form
        guard account.isEmpty || account.isAccount else { throw .unknownInstance }
        return route.clients.compactMap { name in
            environment.clients[name].map { client in
                InstanceCall(
                    instance: InstanceName(client: name, account: account), client: client, context: context,
                    audit: environment.audit)
            }
        }
    }

    /// The candidates, with the one of this client moved to the front.
    private func preferred(_ candidates: [InstanceCall], _ client: String?) -> [InstanceCall] {
        guard let index = candidates.firstIndex(where: { $0.client.name == client }), index > 0 else {
            return candidates
        }
        var ordered = candidates
        ordered.insert(ordered.remove(at: index), at: 0)
        return ordered
    }

    private func fields(of candidates: [InstanceCall]) -> [String] {
        candidates.flatMap { [$0.tokenField, $0.userField] } + [StepUpAttempts.field]
    }

    /// The candidate's token, renewed where that is due; nil when there is no token or its client's limits have ended
    /// it.
    private func usable(
        _ candidate: InstanceCall, extendsIdle: Bool, _ session: OpenedSession
    ) async throws(BFFError) -> RouteToken? {
        guard session.snapshot[candidate.userField] != nil else { return nil }
        let now = environment.now()
        let record: UserRecord
        do throws(BFFError) { record = try session.user(candidate.userField, at: now) } catch .signedOut { return nil }
        guard session.claims.status(at: now) == .current else {
            // A replaced cookie keeps the tokens that it knew for some seconds; it neither renews nor ends anything,
            // nor counts as use.
            // rule: an overtaken cookie goes on with valid tokens alone
            guard !record.isOver(at: now), record.isValid(at: now) else { throw .sessionChanged }
            return routeToken(candidate, session)
        }
        // rule: a client's limits end its tokens on a route
        if record.isOver(at: now) {
            await cleanup.endInstance(session, candidate)
            return nil
        }
        let isRenewed = record.needsRenewal(at: now)
        guard isRenewed || extendsIdle else { return routeToken(candidate, session) }
        do {
            guard isRenewed else { return try await used(candidate, record, session) }
            let (fresh, renewed) = try await records.user(candidate.userField, of: session) { () throws(BFFError) in
                try await renewal.renewQuietly(session, record, candidate)
            }
            guard extendsIdle, fresh.claims.status(at: environment.now()) == .current else {
                return routeToken(candidate, fresh)
            }
            return try await used(candidate, renewed, fresh)
        } catch .signedOut {
            return nil
        }
    }

    /// The candidate's token, after its use was recorded.
    private func used(
        _ candidate: InstanceCall, _ record: UserRecord, _ session: OpenedSession
    ) async throws(BFFError) -> RouteToken? {
        let (session, record) = try await prolongation.prolonged(session, record, candidate)
        await records.extendIdle(session, record, candidate.userField)
        return routeToken(candidate, session)
    }

    private func routeToken(_ candidate: InstanceCall, _ session: OpenedSession) -> RouteToken? {
        guard let tokens = session.tokens(candidate.tokenField),
            let revision = session.snapshot[candidate.tokenField]?.revision
        else { return nil }
        return RouteToken(
            instance: candidate.instance, accessToken: tokens.accessToken, facts: tokens.facts, revision: revision)
    }

    /// True if the session is bound to a device, or the demand does not ask for that.
    private func isBoundEnough(_ session: OpenedSession, for demand: RouteDefinition.Demand) -> Bool {
        guard case .requirement(let name) = demand, environment.requirements[name]?.needsBoundDevice == true else {
            return true
        }
        return environment.settings.deviceCookie != nil && session.claims.isBound
    }

    private func isMet(_ demand: RouteDefinition.Demand, by facts: [TokenFacts]) -> Bool {
        switch demand {
        case .none, .signedIn: true
        case .requirement(let name): environment.requirements.meets(name, facts)
        }
    }
}
