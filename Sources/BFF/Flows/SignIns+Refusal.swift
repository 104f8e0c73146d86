import Basics
import OpenIDConnect
import StorageKit

extension SignIns {
    /// Ends a flow that does not count.
    ///
    /// Its tokens are revoked and never stored. A new provider session of another user is logged out and nothing
    /// changes; one of the same user replaces the old one, which the provider may have ended, unless it comes too
    /// late: after a logout, or after another sign-in that replaced the session. So does what the provider has made new of the
    /// one that the flow built upon.
    ///
    /// That a transaction's flow ended well proves nothing, for the provider says so when it failed too: session and tokens
    /// stay as they were, and the retried call, with the token that it had and the transaction's id, decides.
    ///
    /// - Throws: As for a sign-in that cannot be stored: `.flowExpired`, `.sessionChanged`, `.signedOut`,
    ///   `.storeUnavailable`; what the flow brought is undone, unless nobody knows whether it is stored.
    func refuse(
        _ plan: SignInPlan, _ refusal: StepUpRefusal, _ session: OpenedSession?
    ) async throws(BFFError) -> CompletedSignIn {
        let context = plan.call.context
        let reason = refusal.reason
        let isUndecided = reason == nil
        let answered = isUndecided ? plan.raisedRoute(client: nil, at: environment.now()) : nil
        let outcome: FlowRecord.KeptAnswer.Outcome
        let state: FlowNode.State
        if let reason {
            environment.audit.write(
                plan.goal == nil ? .signIn(.refused) : .stepUp(.missed), context,
                plan.facts(session?.key, reason: reason.rawValue))
            if refusal == .notReached { warnOfUnmetRules(plan) }
            outcome = .failure(reason: reason.rawValue, message: nil)
            state = .failure(reason: reason.rawValue, message: nil)
        } else {
            environment.audit.write(.stepUp(.answered), context, plan.facts(session?.key))
            (outcome, state) = (.success(nil), .success(nil))
        }
        let node = FlowNode(kind: plan.client.flows.kind, flow: plan.answered?.flow.id, state)
        let kept = plan.answered.map { answered in
            FlowRecord.KeptAnswer(
                step: answered.work.step, mac: answered.work.mac, outcome: outcome,
                until: environment.now() + environment.settings.keptAnswer)
        }
        let isUpgrade = refusal == .notReached && plan.goal != nil && plan.signIn.sessionIsNew
        var brought = plan.revocableUnlessStored
        // By its former cookies nobody could end what is somebody else's now.
        if refusal == .accountMismatch, plan.isRenamed {
            brought.append(.session(plan.signIn.session, plan.client.name))
        }
        var ended = (isSuperseded: false, revocable: brought)
        if let session, plan.answered != nil || isUpgrade || isUndecided {
            let edited: EditOutcome<(isSuperseded: Bool, revocable: [Revocable])>
            do {
                edited = try await records.tryEdit(session) { fresh, edit throws(EditError) in
                    guard var meta = fresh.meta else { throw .refused(.sessionChanged) }
                    if let answered = plan.answered {
                        guard answered.isUnderWay(in: fresh) else { throw .refused(.flowExpired) }
                        var flow = answered.flow
                        flow.end()
                        flow.kept = kept
                        meta.flows.removeAll { $0.id == flow.id }
                        try edit.put(flow, expires: self.environment.now() + self.environment.settings.keptAnswer)
                    }
                    if let answered {
                        try edit.put(StepUpAttempts.field, fresh.stepUpAttempts.raising(answered).encoded)
                    }
                    var revocable = brought
                    if isUpgrade, plan.upgradesSession(of: fresh, meta) {
                        let tokens = Revocable.tokens(plan.signIn.tokens.encoded, plan.client.name)
                        revocable = [tokens] + plan.formerSession(of: fresh, meta)
                        meta.put(plan.sessionEntry)
                        try edit.put(plan.sessionField, plan.signIn.session)
                    }
                    try edit.put(MetaRecord.field, meta.encoded)
                    return (fresh.claims.status(at: self.environment.now()) != .current, revocable)
                }
            } catch {
                let lost = refusal == .accountMismatch ? [] : await lost(plan, session)
                await revocations.revokeAfterwards(brought + lost, context)
                throw error
            }
            ended = try revocations.result(
                of: edited, brought: brought, replaced: \.revocable, told: nil, context)
        }
        if refusal != .accountMismatch { ended.revocable += await lost(plan, session) }
        await revocations.revokeAfterwards(ended.revocable, context)
        return CompletedSignIn(node: node, credential: nil, kept: kept, isSuperseded: ended.isSuperseded)
    }
}
