import Basics
import JSON
import Logs
import ResourceServer
import Sessions
import StorageKit

/// Offers step-ups to the browser when a call needs a stronger token, and limits how often.
final class StepUpOffers: Sendable {
    let environment: Environment
    let sessions: BrowserSessions
    private let records: SessionRecords

    init(_ sessions: BrowserSessions) {
        environment = sessions.environment
        self.sessions = sessions
        records = sessions.records
    }

    /// Records that an API accepted a call: the attempts of its route begin anew.
    ///
    /// Only the API's answer shows that: the API may refuse a token that meets our requirement again and again. The
    /// caller does not learn of a failure; the attempts are forgotten after ten minutes anyway.
    ///
    /// - Parameters:
    ///   - route: The route of the call.
    ///   - account: The account of the call.
    ///   - target: Method, path, query and body of the call.
    ///   - context: The request.
    func passed(_ route: RouteDefinition, account: String, target: String, _ context: CallContext) async {
        do {
            guard let session = try await sessions.open(context, [StepUpAttempts.field]),
                session.claims.status(at: environment.now()) == .current
            else { return }
            try await records.edit(session) { fresh, edit throws(EditError) in
                var attempts = fresh.stepUpAttempts
                guard attempts.pass(route.id, account: account, target: target) else { return }
                if attempts.isEmpty {
                    edit.delete(StepUpAttempts.field)
                } else {
                    try edit.put(StepUpAttempts.field, attempts.encoded)
                }
            }
        } catch {
            environment.log(context).debug("The attempts of a route could not be forgotten")
        }
    }

    /// Answers an upstream's challenge for a stronger token: maps it to a requirement and offers the step-up.
    ///
    /// - Parameters:
    ///   - challenge: The upstream's challenge.
    ///   - route: The route of the call.
    ///   - account: The account of the call.
    ///   - target: Method, path, query and body of the call; a transaction that a policy demands is bound to them.
    ///   - context: The request.
    /// - Returns: `.stepUpRequired` with a `c_…` id, or the reason why there is no step-up.
    func stepUp(
        for challenge: ReceivedChallenge, _ route: RouteDefinition, account: String, target: String,
        _ context: CallContext
    ) async -> BFFError {
        guard let requirement = requirement(for: challenge, route) else {
            let facts = AuditFacts(context.sessionKey, nil, reason: Self.unavailable, more: ["route": route.id])
            environment.audit.write(.call(.refused), context, facts)
            return .stepUpUnavailable
        }
        do {
            guard let session = try await sessions.open(context, [MetaRecord.field, StepUpAttempts.field]) else {
                return try await sessions.isReplaced(context) ? .sessionChanged : .signedOut
            }
            // The call carried a token of this cookie, which was replaced meanwhile.
            guard session.claims.status(at: environment.now()) == .current else { return .sessionChanged }
            // Only `acr_values` that the configuration knows are ever sent to a provider.
            let allowed = requirement.stepUp.flatMap { environment.clients[$0] }?.allowed.acrValues ?? []
            let user = requirement.stepUp.flatMap { environment.clients[$0] }
                .flatMap { session.meta?.user(of: $0.sessionField(account)) }
            let held = StepUpChallenge(
                requirement: requirement.name,
                acrValues: challenge.acrValues.filter { $0 == requirement.challengeACR || allowed.contains($0) },
                route: route.id, issuer: user?.issuer ?? "", subject: user?.subject ?? "",
                transaction: challenge.advices.flatMap { advices in
                    guard let id = follow(advices, by: requirement)?.transaction else { return nil }
                    return HeldTransaction(
                        id: id, target: AuthorizedTransaction.digest(target), advice: advices.text)
                })
            let id = StepUpIDs.make(held)
            try await records.edit(session) { _, edit throws(EditError) in
                try edit.put(
                    StepUpChallenge.field(id), held.encoded, expires: self.environment.now() + StepUpChallenge.lifetime)
            }
            return try await offer(
                requirement, goal: id, RouteCall(route: route.id, account: account, target: target), in: session,
                context)
        } catch {
            return error
        }
    }

    /// The configured requirement that an upstream's challenge means: by its advice, its `acr_values`, else its scopes.
    ///
    /// The route's own requirement is tried first. A challenge with a maximum age alone means the first requirement.
    private func requirement(
        for challenge: ReceivedChallenge, _ route: RouteDefinition
    ) -> Requirement? {
        var offered = environment.requirements.inOrder.filter { requirement in
            requirement.stepUp.map(route.clients.contains) ?? false
        }
        if case .requirement(let own) = route.demand, let index = offered.firstIndex(where: { $0.name == own }) {
            offered.insert(offered.remove(at: index), at: 0)
        }
        if let advices = challenge.advices {
            return offered.first { follow(advices, by: $0) != nil }
        }
        if !challenge.acrValues.isEmpty {
            return offered.first { $0.challengeACR.map(challenge.acrValues.contains) ?? false }
        }
        if !challenge.scopes.isEmpty {
            return offered.first { Set(challenge.scopes).isSubset(of: $0.scopes) }
        }
        return challenge.maxAge == nil ? nil : offered.first
    }

    /// The way in which a requirement's step-up client follows an advice; nil when it does not follow it.
    private func follow(_ advices: JSONObject, by requirement: Requirement) -> FollowedAdvice? {
        requirement.stepUp.flatMap { environment.clients[$0] }?.flows.follow(advices, for: requirement)
    }

    /// Offers a step-up for a call.
    ///
    /// - Parameters:
    ///   - requirement: The requirement that the call's token has to meet.
    ///   - goal: The value of `for` in the `start` request.
    ///   - call: The call.
    ///   - session: The session, opened.
    ///   - context: The request.
    /// - Returns: `.stepUpRequired`, or the reason why there is no step-up.
    /// - Throws: `.signedOut`, `.storeUnavailable`.
    func offer(
        _ requirement: Requirement, goal: String, _ call: RouteCall, in session: OpenedSession, _ context: CallContext
    ) async throws(BFFError) -> BFFError {
        guard session.claims.status(at: environment.now()) == .current else { return .sessionChanged }
        var facts = AuditFacts(session.key, nil, more: ["requirement": requirement.name, "route": call.route])
        guard let client = requirement.stepUp, environment.clients[client] != nil else {
            facts.reason = Self.unavailable
            environment.audit.write(.call(.refused), context, facts)
            return .stepUpUnavailable
        }
        let instance = InstanceName(client: client, account: call.account)
        facts.instance = instance
        let (isOffered, person) = try await records.edit(session) { fresh, edit throws(EditError) in
            var attempts = fresh.stepUpAttempts
            // Sign-ins of other clients and accounts are no attempts.
            let own = self.environment.clients[client]?.tokenField(call.account)
            let epoch = fresh.meta?.tokens.first { $0.field == own }?.epoch ?? 0
            let isOffered = attempts.offer(call, requirement.name, epoch: epoch, at: self.environment.now())
            if attempts != fresh.stepUpAttempts { try edit.put(StepUpAttempts.field, attempts.encoded) }
            return (isOffered, fresh.meta?.tokens.first { $0.account == call.account }?.person)
        }
        facts.person = person
        guard isOffered else {
            facts.reason = "step-up-failed"
            environment.audit.write(.call(.refused), context, facts)
            return .stepUpFailed
        }
        environment.audit.write(.stepUp(.offered), context, facts)
        return .stepUpRequired(StepUpOffer(instance: instance.text, goal: goal, requirement: requirement))
    }

    /// The audit's reason for a call whose requirement has no client that steps up.
    private static let unavailable = "step-up-unavailable"
}
