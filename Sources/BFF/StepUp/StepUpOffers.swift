import Basics
import JSON
import Logs
import ResourceServer
import StorageKit

/// Offers of step-ups: what the browser is told when a call needs a stronger token, and how often.
final class StepUpOffers: Sendable {
    let environment: Environment
    let sessions: BrowserSessions
    private let records: SessionRecords

    init(_ sessions: BrowserSessions) {
        environment = sessions.environment
        self.sessions = sessions
        records = sessions.records
    }

    /// Notes that an API took a call: the attempts of its route begin anew.
    ///
    /// Only the API's answer says so: a token that meets our requirement may still be refused by the API, round after
    /// round. A failure is not told; the attempts are forgotten in ten minutes anyway.
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

    /// What the browser is told when an upstream asks for more, by a challenge that was mapped to a requirement.
    ///
    /// - Parameters:
    ///   - challenge: The upstream's challenge.
    ///   - route: The route of the call.
    ///   - account: The account of the call.
    ///   - target: Method, path, query and body of the call: where a policy wants a transaction authorised, the call that it is for.
    ///   - context: The request.
    /// - Returns: `.stepUpRequired` with a `c_…` id, or why there is none.
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
            // The call went out with a token of this cookie: it was replaced meanwhile.
            guard session.claims.status(at: environment.now()) == .current else { return .sessionChanged }
            // Of what a foreign API asks for only what the configuration knows is ever asked of a provider.
            let allowed = requirement.stepUp.flatMap { environment.clients[$0] }?.allowed.acrValues ?? []
            let held = StepUpChallenge(
                requirement: requirement.name,
                acrValues: challenge.acrValues.filter { $0 == requirement.challengeACR || allowed.contains($0) },
                route: route.id,
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
                requirement, goal: id, RouteCall(route: route.id, account: account, target: target), session, context)
        } catch {
            return error
        }
    }

    /// The configured requirement that a foreign challenge means: by its advice, its `acr_values`, else its scopes.
    ///
    /// The route's own comes first.
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

    /// What following an advice takes, by the client that steps up for a requirement; nil when it does not do it.
    private func follow(_ advices: JSONObject, by requirement: Requirement) -> FollowedAdvice? {
        requirement.stepUp.flatMap { environment.clients[$0] }?.flows.follow(advices, for: requirement)
    }

    /// Offers a step-up for a call.
    ///
    /// - Parameters:
    ///   - requirement: What the call needs.
    ///   - goal: What `start` is given as `for`.
    ///   - call: The call.
    ///   - session: The session, opened.
    ///   - context: The request.
    /// - Returns: `.stepUpRequired`, or why there is none.
    /// - Throws: `.signedOut`, `.storeUnavailable`.
    func offer(
        _ requirement: Requirement, goal: String, _ call: RouteCall, _ session: OpenedSession, _ context: CallContext
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
            let isOffered = attempts.offer(
                call, requirement.name, epoch: fresh.claims.epoch, at: self.environment.now())
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

    /// The reason in the audit where no client steps up.
    private static let unavailable = "step-up-unavailable"
}
