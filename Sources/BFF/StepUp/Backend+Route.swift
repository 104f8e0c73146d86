import Basics
import JSON
import Logs
import OpenIDConnect
public import ResourceServer
import StorageKit

extension Backend {
    /// The token that a call to a route goes out with: of the first client whose token meets what the route demands.
    ///
    /// There is no fall-back to another account, and the standard token is never replaced by an elevated one.
    ///
    /// - Parameters:
    ///   - route: What the route demands.
    ///   - account: The account; empty for the default one.
    ///   - context: The request.
    /// - Returns: nil for a route that demands nothing.
    /// - Throws: `.signedOut`, `.stepUpRequired`, `.stepUpFailed` after two rounds that did not help,
    ///   `.stepUpUnavailable`, and what renewing a token throws.
    public func token(
        for route: RouteDefinition, account: String, _ context: CallContext
    ) async throws(BFFError) -> RouteToken? {
        if route.demand == .none { return nil }
        let candidates = try candidates(route, account)
        guard let session = try await open(context, fields(of: candidates)) else { throw .signedOut }
        guard session.claims.standing(at: time.now()) != .replayOnly else { throw .signedOut }
        let rounds = session.loopGuard
        let raised = rounds.raised(route.id, account: account, at: time.now())
        var isSignedIn = false
        for candidate in preferred(candidates, raised?.client) {
            guard var token = try await usable(candidate, slides: route.slides, session, context) else { continue }
            isSignedIn = true
            token.hasRounds = rounds.hasRounds(route.id, account: account)
            token.transaction = raised?.transaction
            if isMet(route.demand, by: token.facts) { return token }
        }
        guard isSignedIn else { throw .signedOut }
        guard case .requirement(let name) = route.demand, let requirement = requirements[name] else {
            throw .signedOut
        }
        throw try await offer(requirement, goal: name, route, account, target: nil, session)
    }

    /// A token in the place of one that the upstream called invalid: one renewal, then a choice by what the tokens show
    /// now.
    ///
    /// The renewed token may be weaker than the one before, or over: then another client's token goes out, or a step-up
    /// is offered. That this one is over does not sign the user out.
    ///
    /// - Parameters:
    ///   - refused: The token that the call went out with.
    ///   - route: What the call needs.
    ///   - context: The request.
    /// - Returns: The token for the same call.
    /// - Throws: What `token(for:account:_:)` and a renewal throw.
    public func renewedToken(
        after refused: RouteToken, for route: RouteDefinition, _ context: CallContext
    ) async throws(BFFError) -> RouteToken {
        guard let definition = clients[refused.instance.client] else { throw .signedOut }
        let candidate = Candidate(instance: refused.instance, definition: definition)
        guard let session = try await open(context, fields(of: [candidate])) else { throw .signedOut }
        // A cookie that was replaced renews nothing.
        guard session.claims.standing(at: time.now()) == .current else { throw .sessionChanged }
        if let record = session.user(candidate.userField), let tokens = session.tokens(candidate.tokenField) {
            // Nothing could renew it, and what one API says of a token does not end it for all.
            guard tokens.refreshToken != nil || !definition.isElevated else { throw .providerRefused }
            do {
                try await renew(session, record, refused.instance, definition, context, seen: refused.revision)
            } catch .signedOut {
                // This one is over; what that means for the call the choice says.
            }
        }
        guard var token = try await token(for: route, account: refused.instance.account, context) else {
            throw .signedOut
        }
        token.transaction = refused.transaction
        return token
    }

    /// Notes that an API took a call: the rounds of its route begin anew.
    ///
    /// Only the API's answer says so: a token that meets our requirement may still be refused by the API, round after
    /// round. A failure is not told; the rounds are forgotten in ten minutes anyway.
    ///
    /// - Parameters:
    ///   - route: The route of the call.
    ///   - account: The account of the call.
    ///   - target: Method and path of the call.
    ///   - context: The request.
    public func passed(_ route: RouteDefinition, account: String, target: String, _ context: CallContext) async {
        do {
            guard let session = try await open(context, [LoopGuard.field]),
                session.claims.standing(at: time.now()) == .current
            else { return }
            try await edit(session) { fresh, edit throws(EditError) in
                var rounds = fresh.loopGuard
                guard rounds.pass(route.id, account: account, target: target) else { return }
                if rounds.isEmpty {
                    edit.delete(LoopGuard.field)
                } else {
                    try edit.put(LoopGuard.field, rounds.encoded)
                }
            }
        } catch {
            log(context).debug("Rounds of a route could not be forgotten")
        }
    }

    /// What the browser is told when an upstream asks for more, by a challenge that was mapped to a requirement.
    ///
    /// - Parameters:
    ///   - challenge: The upstream's challenge.
    ///   - route: The route of the call.
    ///   - account: The account of the call.
    ///   - target: Method and path of the call: where a policy wants a transaction authorised, the call that it is for.
    ///   - context: The request.
    /// - Returns: `.stepUpRequired` with a `c_…` id, or why there is none.
    public func stepUp(
        for challenge: ReceivedChallenge, _ route: RouteDefinition, account: String, target: String,
        _ context: CallContext
    ) async -> BFFError {
        let advised = challenge.advices.flatMap { AdvisedStrength($0) }
        guard let requirement = requirement(for: challenge, advised, route) else { return .stepUpUnavailable }
        do {
            guard let session = try await open(context, [MetaRecord.field, LoopGuard.field]) else { return .signedOut }
            switch session.claims.standing(at: time.now()) {
            case .current: break
            case .superseded: return .sessionChanged
            case .replayOnly: return .signedOut
            }
            // Of what a foreign API asks for only what the configuration knows is ever asked of a provider.
            let allowed = requirement.stepUp.flatMap { clients[$0] }?.allowed.acrValues ?? []
            let held = StepUpChallenge(
                requirement: requirement.name,
                acrValues: challenge.acrValues.filter { $0 == requirement.challengeACR || allowed.contains($0) },
                route: route.id,
                transaction: advised.flatMap { advised in
                    guard let id = advised.transaction, let advice = challenge.advices else { return nil }
                    return HeldTransaction(
                        id: id, target: AuthorizedTransaction.digest(target), advice: advice.text)
                })
            let id = StepUpIDs.make(held)
            try await edit(session) { _, edit throws(EditError) in
                try edit.put(
                    StepUpChallenge.field(id), held.encoded, expires: self.time.now() + StepUpChallenge.lifetime)
            }
            return try await offer(requirement, goal: id, route, account, target: target, session)
        } catch {
            return error
        }
    }

    // MARK: Candidates

    private struct Candidate {
        let instance: InstanceName
        let definition: ClientDefinition

        var tokenField: String { definition.tokenField(instance.account) }
        var userField: String { definition.userField(instance.account) }
    }

    private func candidates(_ route: RouteDefinition, _ account: String) throws(BFFError) -> [Candidate] {
        guard account.isEmpty || InstanceName.isWord(account) else { throw .unknownInstance }
        return route.clients.compactMap { name in
            clients[name].map { Candidate(instance: InstanceName(client: name, account: account), definition: $0) }
        }
    }

    /// The candidates with that of a client in front.
    private func preferred(_ candidates: [Candidate], _ client: String?) -> [Candidate] {
        guard let index = candidates.firstIndex(where: { $0.definition.name == client }), index > 0 else {
            return candidates
        }
        var ordered = candidates
        ordered.insert(ordered.remove(at: index), at: 0)
        return ordered
    }

    private func fields(of candidates: [Candidate]) -> [String] {
        candidates.flatMap { [$0.tokenField, $0.userField] } + [LoopGuard.field]
    }

    /// The candidate's token, renewed where that is due; nil when there is none or its client's limits have ended it.
    private func usable(
        _ candidate: Candidate, slides: Bool, _ session: OpenedSession, _ context: CallContext
    ) async throws(BFFError) -> RouteToken? {
        guard let record = session.user(candidate.userField), record.epoch <= session.claims.epoch else { return nil }
        let now = time.now()
        guard session.claims.standing(at: now) == .current else {
            // Goes on with what it knew for some seconds; it neither renews nor ends anything, nor counts as use.
            guard !record.isOver(at: now), record.isValid(at: now) else { throw .sessionChanged }
            return routeToken(candidate, session)
        }
        if record.isOver(at: now) {
            await endInstance(session, candidate.instance, candidate.definition, context)
            return nil
        }
        guard record.needsRenewal(at: now) else {
            if slides { await slide(session, record, candidate.userField) }
            return routeToken(candidate, session)
        }
        do {
            try await renew(session, record, candidate.instance, candidate.definition, context)
        } catch .signedOut {
            return nil
        }
        return routeToken(candidate, try await reopen(session))
    }

    private func routeToken(_ candidate: Candidate, _ session: OpenedSession) -> RouteToken? {
        guard let tokens = session.tokens(candidate.tokenField),
            let revision = session.snapshot[candidate.tokenField]?.revision
        else { return nil }
        return RouteToken(
            instance: candidate.instance, accessToken: tokens.accessToken, facts: tokens.facts, revision: revision)
    }

    private func isMet(_ demand: RouteDefinition.Demand, by facts: [TokenFacts]) -> Bool {
        switch demand {
        case .none, .signedIn: true
        case .requirement(let name): meets(name, facts)
        }
    }

    // MARK: Offers

    /// The configured requirement that a foreign challenge means: by its advice, its `acr_values`, else its scopes.
    ///
    /// The route's own comes first.
    private func requirement(
        for challenge: ReceivedChallenge, _ advised: AdvisedStrength?, _ route: RouteDefinition
    ) -> Requirement? {
        var offered = requirementNames.compactMap { requirements[$0] }.filter { requirement in
            requirement.stepUp.map(route.clients.contains) ?? false
        }
        if case .requirement(let own) = route.demand, let index = offered.firstIndex(where: { $0.name == own }) {
            offered.insert(offered.remove(at: index), at: 0)
        }
        if challenge.advices != nil {
            return offered.first { requirement in
                guard let advised, let client = requirement.stepUp.flatMap({ clients[$0] }) else { return false }
                return advised.isDone(by: requirement, client)
            }
        }
        if !challenge.acrValues.isEmpty {
            return offered.first { $0.challengeACR.map(challenge.acrValues.contains) ?? false }
        }
        if !challenge.scopes.isEmpty {
            return offered.first { Set(challenge.scopes).isSubset(of: $0.scopes) }
        }
        return challenge.maxAge == nil ? nil : offered.first
    }

    private func offer(
        _ requirement: Requirement, goal: String, _ route: RouteDefinition, _ account: String, target: String?,
        _ session: OpenedSession
    ) async throws(BFFError) -> BFFError {
        guard session.claims.standing(at: time.now()) == .current else { return .sessionChanged }
        guard let client = requirement.stepUp, clients[client] != nil else { return .stepUpUnavailable }
        let isOffered = try await edit(session) { fresh, edit throws(EditError) in
            var rounds = fresh.loopGuard
            let isOffered = rounds.offer(
                route.id, requirement.name, account: account, target: target, epoch: fresh.claims.epoch,
                at: self.time.now())
            if rounds != fresh.loopGuard { try edit.put(LoopGuard.field, rounds.encoded) }
            return isOffered
        }
        guard isOffered else { return .stepUpFailed }
        return .stepUpRequired(
            StepUpOffer(
                instance: InstanceName(client: client, account: account).text, goal: goal, requirement: requirement))
    }
}
