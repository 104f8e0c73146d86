import Basics
import OpenIDConnect
import Sessions
import StorageKit

/// A completed flow that does not count, and what follows from that, by the rule that it broke.
struct RefusedSignIn: Sendable, Equatable {
    /// The event of the audit.
    var event: AuditEvent
    /// The reason for the browser; nil if the flow of a transaction ended.
    ///
    /// The end of such a flow proves nothing: the repeated call decides, with the token that it had.
    let reason: FailureReason?
    /// The tokens and sessions to be ended at the provider, if the browser session takes nothing of the flow.
    var brought: [Revocable]
    /// The note for the route whose API asked for a transaction.
    var raised: RaisedRoute?
    /// True if the new provider session replaces the one that the flow built upon, which may have ended.
    var isUpgrade = false

    /// True if the browser session keeps a renewed provider session although its sign-in is not stored.
    var keepsRenewed: Bool { reason != .accountMismatch }
    /// True if the browser session changes even if no flow of it ends.
    var changesSession: Bool { isUpgrade || reason == nil }
}

extension SignInPlan {
    /// Decides what follows for a sign-in that broke a rule.
    func refused(_ refusal: StepUpRefusal, at now: Timestamp) -> RefusedSignIn {
        // The revocations of a sign-in that waited for its confirmation are stored already.
        let brought = confirmed == nil ? revocableUnlessStored : []
        var refused = RefusedSignIn(event: refusedEvent, reason: refusal.reason, brought: brought)
        switch refusal {
        case .accountMismatch:
            // After the rename, the former cookies cannot end the session, which is of another user now.
            if isRenamed { refused.brought.append(.session(signIn.session, client.name)) }
        case .notReached:
            refused.isUpgrade = goal != nil && signIn.sessionIsNew
        case .ended: break
        case .undecided:
            refused.event = .stepUp(.answered)
            refused.raised = raisedRoute(client: nil, at: now)
        }
        return refused
    }
}

extension SignIns {
    /// Ends a completed flow that does not count.
    ///
    /// Its tokens are revoked and never stored. A new provider session replaces the old one of the same user, unless
    /// the flow comes too late: after a logout, or after another sign-in that replaced the session.
    ///
    /// - Throws: The errors of a sign-in that cannot be stored: `.flowExpired`, `.sessionChanged`, `.signedOut`,
    ///   `.storeUnavailable`; the tokens and sessions of the flow are ended, unless it is unknown whether it is stored.
    func refuse(
        _ plan: SignInPlan, _ refusal: StepUpRefusal, _ session: OpenedSession?
    ) async throws(BFFError) -> CompletedSignIn {
        let context = plan.call.context
        let refused = plan.refused(refusal, at: environment.now())
        environment.audit.write(refused.event, context, plan.facts(session?.key, reason: refused.reason?.rawValue))
        if refusal == .notReached { warnOfUnmetRules(plan) }
        let outcome = refused.reason.map { FlowRecord.KeptAnswer.Outcome.failure(reason: $0.rawValue, message: nil) }
        let kept = plan.answered?.kept(
            outcome ?? .success(nil), until: environment.now() + environment.settings.keptAnswer)
        var ended = (isSuperseded: false, revocable: refused.brought)
        if let session, kept != nil || refused.changesSession {
            let edited: EditOutcome<(isSuperseded: Bool, revocable: [Revocable])>
            do {
                edited = try await write(refused, plan: plan, keeping: kept, session)
            } catch {
                let unkept = refused.keepsRenewed ? await unkept(plan, session) : []
                await revocations.revokeInBackground(refused.brought + unkept, context)
                throw error
            }
            do {
                ended = try revocations.result(
                    of: edited, brought: refused.brought, replaced: \.revocable, audited: nil, context)
            } catch .signedOut {
                if refused.keepsRenewed { await revocations.revokeInBackground(unkept(plan, session), context) }
                throw .signedOut
            }
        }
        if refused.keepsRenewed { ended.revocable += await unkept(plan, session) }
        await revocations.revokeInBackground(ended.revocable, context)
        let state = refused.reason.map { FlowNode.State.failure(reason: $0.rawValue, message: nil) } ?? .success(nil)
        let node = FlowNode(kind: plan.client.flows.kind, flow: plan.answered?.flow.id, state)
        return CompletedSignIn(node: node, credential: nil, kept: kept, isSuperseded: ended.isSuperseded)
    }

    /// Writes the end of the flow, and the parts of it that the browser session takes.
    private func write(
        _ refused: RefusedSignIn, plan: SignInPlan, keeping kept: FlowRecord.KeptAnswer?, _ session: OpenedSession
    ) async throws(BFFError) -> EditOutcome<(isSuperseded: Bool, revocable: [Revocable])> {
        try await records.tryEdit(session) { fresh, edit throws(EditError) in
            let now = self.environment.now()
            guard var meta = fresh.meta else { throw .refused(.sessionChanged) }
            if let answered = plan.answered, let kept {
                guard answered.isUnderWay(in: fresh) else { throw .refused(.flowExpired) }
                try edit.end(answered.flow, kept, &meta, expires: now + self.environment.settings.keptAnswer)
            }
            if let raised = refused.raised {
                try edit.put(StepUpAttempts.field, fresh.stepUpAttempts.raising(raised).encoded)
            }
            var revocable = refused.brought
            if refused.isUpgrade, plan.upgradesSession(of: fresh, meta) {
                let tokens = Revocable.tokens(plan.signIn.tokens.encoded, plan.client.name)
                revocable = [tokens] + plan.formerSession(of: fresh, meta)
                meta.put(plan.sessionEntry)
                try edit.put(plan.sessionField, plan.signIn.session)
                try self.list(plan, tokens: false, meta, fresh, &edit)
            }
            try edit.put(MetaRecord.field, meta.encoded)
            return (fresh.claims.status(at: now) != .current, revocable)
        }
    }
}
