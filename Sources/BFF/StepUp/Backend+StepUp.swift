import Basics
import OpenIDConnect
import ResourceServer
import StorageKit

/// The step-up loop of design/step-up.md 4: what `start` does with `for`, and what the end of the flow has to show.
extension Backend {
    /// Turns `for` into a start whose every value is the server's.
    ///
    /// - Returns: The request as it goes to the client, and what its end is judged by.
    /// - Throws: `.notAllowed` for a goal that is not this client's, `.signedOut` when nobody is signed in.
    func stepUp(
        _ request: StartRequest, _ instance: InstanceName, _ definition: ClientDefinition, _ session: OpenedSession?
    ) throws(BFFError) -> (StartRequest, StepUpGoal?) {
        guard let name = request.goal else {
            // The provider session alone would do for such a client without the user doing anything.
            var request = request
            if definition.isElevated { request.forceAuth = true }
            return (request, nil)
        }
        let held = session?.challenge(name)
        guard let requirement = requirements[held?.requirement ?? name], requirement.stepUp == definition.name else {
            throw .notAllowed(field: "for")
        }
        let sessionField = definition.sessionField(instance.account)
        guard let entry = session?.meta?.tokens.first(where: { $0.sessionField == sessionField }) else {
            throw .signedOut
        }
        var forced = StartRequest()
        forced.goal = name
        forced.forceAuth = true
        forced.acrValues = held.flatMap { $0.acrValues.isEmpty ? nil : $0.acrValues } ?? requirement.acrValues
        forced.advice = held?.transaction?.policyAdvice
        let goal = StepUpGoal(
            requirement: held == nil ? requirement.name : nil, issuer: entry.issuer, subject: entry.subject,
            route: held?.route, transaction: held?.transaction)
        return (forced, goal)
    }

    /// The offer that a start without a goal gets whose client the provider finds too weakly signed in for.
    func offer(
        after failure: FlowFailure, _ instance: InstanceName, _ definition: ClientDefinition
    ) -> StepUpOffer? {
        guard failure.reason == "unmet-authentication-requirements", let name = definition.minimum,
            let requirement = requirements[name], requirement.stepUp == definition.name
        else { return nil }
        return StepUpOffer(instance: instance.text, goal: name, requirement: requirement)
    }

    /// Why a completed flow does not count; nil when it does.
    func refusal(of plan: SignInPlan) -> StepUpRefusal? {
        let tokens = plan.signIn.tokens
        if let goal = plan.goal {
            guard goal.issuer == tokens.issuer, goal.subject == tokens.subject else { return .accountMismatch }
            // A provider says yes to a failed transaction too: only the API that asked for it knows.
            guard goal.transaction == nil else { return .undecided }
            // Providers state whole seconds.
            guard let authTime = tokens.authTime, authTime.seconds >= plan.begun.seconds else { return .notReached }
        }
        for name in [plan.goal?.requirement, plan.definition.minimum].compactMap({ $0 }) {
            guard meets(name, tokens) else { return .notReached }
        }
        return nil
    }

    /// Whether tokens meet a requirement now; one that is not configured is not met.
    func meets(_ requirement: String, _ tokens: TokenSet) -> Bool {
        meets(requirement, tokens.facts)
    }

    /// Whether a requirement is met by every reading of a token.
    func meets(_ requirement: String, _ facts: [TokenFacts]) -> Bool {
        guard let requirement = requirements[requirement] else { return false }
        return facts.allSatisfy { requirement.shortfall(of: $0, at: time.now()).isNone }
    }

    /// Ends a flow that does not count.
    ///
    /// Its tokens are revoked and never stored. A new provider session of another user is logged out and nothing
    /// changes; one of the same user replaces the old one, which the provider may have ended, unless it comes too
    /// late: after a logout, or after another sign-in that replaced the session.
    ///
    /// That a transaction's flow ended well proves nothing, for the provider says so when it failed too: session and tokens
    /// stay as they were, and the retried call, with the token that it had and the transaction's id, decides.
    ///
    /// - Throws: As for a sign-in that cannot be stored: `.flowExpired`, `.sessionChanged`, `.signedOut`,
    ///   `.storeUnavailable`; what the flow brought is undone.
    func refuse(
        _ plan: SignInPlan, _ refusal: StepUpRefusal, _ session: OpenedSession?, _ context: CallContext
    ) async throws(BFFError) -> CompletedSignIn {
        let isUndecided = refusal == .undecided
        let answered = isUndecided ? plan.raisedRoute(client: nil, at: time.now()) : nil
        let node: [UInt8]
        if isUndecided {
            audit(context, "Transaction answered", plan.instance, [:])
            node = NodeDocument.success(plan.answered?.flow.id, plan.definition.client.kind, user: nil)
        } else {
            audit(context, "Step-up refused", plan.instance, ["reason": refusal.rawValue])
            node = NodeDocument.failure(
                plan.answered?.flow.id, plan.definition.client.kind, FlowFailure(reason: refusal.rawValue))
        }
        let kept = plan.answered.map { answered in
            FlowRecord.KeptAnswer(
                step: answered.step, mac: answered.mac, outcome: .node(node), until: time.now() + settings.keptAnswer)
        }
        let isUpgrade = refusal == .notReached && plan.goal != nil && plan.signIn.sessionIsNew
        var isSuperseded = false
        var keepsSession = false
        var former: [Obsolete] = []
        if let session, plan.answered != nil || isUpgrade || isUndecided {
            do {
                (isSuperseded, keepsSession, former) = try await edit(session) { fresh, edit throws(EditError) in
                    guard var meta = fresh.meta else { throw .refused(.sessionChanged) }
                    if let answered = plan.answered {
                        var flow = try self.underWay(answered, fresh)
                        flow.end()
                        flow.kept = kept
                        meta.flows.removeAll { $0.id == flow.id }
                        try edit.put(
                            FlowRecord.field(flow.id), flow.encoded,
                            expires: self.time.now() + self.settings.keptAnswer)
                    }
                    if let answered {
                        try edit.put(LoopGuard.field, fresh.loopGuard.raising(answered).encoded)
                    }
                    let keepsSession = isUpgrade && plan.upgradesSession(of: fresh, meta)
                    var former: [Obsolete] = []
                    if keepsSession {
                        former = plan.formerSession(of: fresh, meta)
                        meta.put(plan.sessionEntry)
                        try edit.put(plan.sessionField, plan.signIn.session)
                    }
                    try edit.put(MetaRecord.field, meta.encoded)
                    return (fresh.claims.standing(at: self.time.now()) != .current, keepsSession, former)
                }
            } catch {
                await undo(plan.undoing, context)
                throw error
            }
        }
        let tokens = Obsolete.tokens(plan.signIn.tokens.encode(), plan.definition.name)
        await undo(keepsSession ? [tokens] + former : plan.undoing, context)
        return CompletedSignIn(node: node, credential: nil, kept: kept, isSuperseded: isSuperseded, obsolete: [])
    }
}

/// Why a completed flow does not count; the raw value is the failure's reason.
enum StepUpRefusal: String, Sendable {
    /// It ended with another user than before.
    case accountMismatch = "account-mismatch"
    /// The token is not as strong, or the authentication not as fresh, as was asked.
    case notReached = "step-up-not-reached"
    /// It was for a transaction; whether that is authorised the repeated call will show.
    case undecided
}

extension Requirement {
    /// The `acr_values` that a step-up asks for.
    fileprivate var acrValues: [String] { challengeACR.map { [$0] } ?? [] }
}

extension SignInPlan {
    /// What the flow means for the route whose API asked for it; nil for any other flow.
    ///
    /// - Parameters:
    ///   - client: The client that has a token for the route now; nil when there is no new one.
    ///   - now: When the flow ended.
    /// - Returns: The route as it is called from now on.
    func raisedRoute(client: String?, at now: Timestamp) -> RaisedRoute? {
        guard let goal, let route = goal.route else { return nil }
        let transaction = goal.transaction.map {
            AuthorizedTransaction(id: $0.id, target: $0.target, until: now + AuthorizedTransaction.lifetime)
        }
        return RaisedRoute(route: route, account: instance.account, client: client, transaction: transaction)
    }
}

extension OpenedSession {
    /// What a foreign API asked for under this id, when it was read and is not over.
    fileprivate func challenge(_ id: String) -> StepUpChallenge? {
        guard StepUpChallenge.isID(id) else { return nil }
        return decoded(StepUpChallenge.field(id)) { bytes throws(RecordReader.Malformed) in
            try StepUpChallenge(decoding: bytes)
        }
    }
}
