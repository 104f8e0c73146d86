import Basics
import JSON
import OpenIDConnect
import StorageKit

/// Completed flows on their way into the store.
final class SignIns: Sendable {
    let environment: Environment
    let records: SessionRecords
    let revocations: Revocations
    private let sessions: BrowserSessions
    let flows: Flows
    let rules: StepUpRules

    init(_ flows: Flows, _ rules: StepUpRules) {
        environment = flows.environment
        records = flows.records
        sessions = flows.sessions
        revocations = sessions.revocations
        self.flows = flows
        self.rules = rules
    }

    /// Stores a sign-in: provider session, tokens, user record, flow, ticket and table of contents at once.
    ///
    /// The session gets a new id. A sign-in that cannot be stored is undone at the provider; one of which nobody knows
    /// whether it is stored, once the store has said that it is not.
    func finish(_ plan: SignInPlan, _ session: OpenedSession?) async throws(BFFError) -> CompletedSignIn {
        var plan = plan
        let context = plan.call.context
        // rule: a silent sign-in proves nothing new
        if plan.isSilent, let session {
            plan.signIn.tokens = session.limiting(plan.signIn.tokens, from: plan.sessionField)
        }
        plan.authTimes = (plan.signIn.tokens.authTime, session?.formerAuthTime(of: plan.sessionField))
        let first = session?.meta?.firstSignIn(of: plan.sessionField)
        plan.followsAtOnce = first.map { plan.begun < $0 + .seconds(1) } ?? false
        // rule: times of tokens are bounded by the clock
        plan.signIn.tokens = plan.signIn.tokens.clamped
        // rule: a sign-in that does not reach its goal is refused
        if let refusal = rules.refusal(of: plan, at: environment.now()) {
            return try await refuse(plan, refusal, session)
        }
        // A flow counts as given up some time after it was sent: claims are not worth that.
        let deadline = min(plan.call.deadline(), .now + environment.settings.claimsPatience)
        plan.claims = try? await plan.client.tokens.userinfo(plan.signIn.tokens, deadline: deadline)
        let edited: EditOutcome<CompletedSignIn>
        do {
            edited = try await store(plan, session)
        } catch {
            if error == .subjectChanged, let session, let question = try await ask(plan, session) {
                throw .confirmationNeeded(question)
            }
            tellRefused(plan, error, session?.key)
            await revocations.revokeAfterwards(plan.revocableUnlessStored + lost(plan, session), context)
            throw error
        }
        let event = plan.goal == nil ? AuditEvent.signIn(.done) : .stepUp(.met)
        let completed = try revocations.result(
            of: edited, brought: plan.revocableUnlessStored, replaced: \.revocable,
            told: (event, plan.facts(session?.key)), context)
        sessions.anonymous.remove(session?.key)
        if let key = session?.key { environment.work.ends.forget(key, plan.call.instance) }
        await revocations.revokeAfterwards(completed.revocable, context)
        environment.audit.write(event, context, plan.facts(session?.key ?? completed.credential?.sessionKey))
        return completed
    }

    /// Keeps the session of before by what the provider knows it by since the flow, though its sign-in is not stored.
    ///
    /// - Returns: The session, where the browser has it no more.
    func lost(_ plan: SignInPlan, _ session: OpenedSession?) async -> [Revocable] {
        guard plan.isRenamed else { return [] }
        return await records.keep(plan.signIn.session, of: plan.sessionBefore, plan.call, session)
    }

    /// Says in the audit why a sign-in was refused when it was to be stored.
    private func tellRefused(_ plan: SignInPlan, _ error: BFFError, _ session: SessionKey?) {
        // Nobody asked for it.
        guard !plan.isByUse else { return }
        let reason: String
        switch error {
        case .subjectChanged: reason = "subject-changed"
        case .sessionChanged, .signedOut: reason = "session-changed"
        default: return
        }
        environment.audit.write(
            plan.goal == nil ? .signIn(.refused) : .stepUp(.missed), plan.call.context,
            plan.facts(session, reason: reason))
    }

    func store(_ plan: SignInPlan, _ session: OpenedSession?) async throws(BFFError) -> EditOutcome<
        CompletedSignIn
    > {
        guard let session else { return .done(try await storeInNewSession(plan), revisions: [:]) }
        return try await records.tryEdit(session) { fresh, edit throws(EditError) in
            guard var meta = fresh.meta else { throw .refused(.sessionChanged) }
            let now = self.environment.now()
            let isCurrent = fresh.claims.status(at: now) == .current
            // A cookie from before the sign-in may have been planted: it cannot sign in once it was replaced.
            // rule: a cookie from before the sign-in does not sign in once it was replaced
            guard isCurrent || fresh.claims.isSignedIn else { throw .refused(.sessionChanged) }
            // rule: a step that was given up signs nobody in
            if let answered = plan.answered, !answered.isUnderWay(in: fresh) { throw .refused(.flowExpired) }
            if let asked = plan.confirmed { try self.check(asked, plan, fresh, meta, &edit) }
            // Meanwhile somebody signed in, or out.
            // rule: tokens that are not wanted any more are not kept
            if plan.isByUse, !plan.isStillWanted(in: fresh) { throw .refused(.signedOut) }
            // rule: a sign-in has one of the accounts that a session may have
            try self.flows.checkAccounts(meta, plan.call.instance)
            let revocable = try plan.revocable(in: fresh, meta)
            var credential: SessionCredential?
            var change: (id: String, record: ChangeRecord)?
            if isCurrent, !self.addsNothing(plan, fresh, meta) {
                if !meta.isSignedIn { meta.absoluteEnd = now + self.environment.settings.absolute }
                meta.epoch += 1
                let (new, id, record) = try self.records.tickets.rotate(fresh, meta, &edit)
                credential = new
                change = (id, record)
            } else if !isCurrent, let id = fresh.claims.change?.id {
                // What comes of a step that was under way belongs to the change that overtook it.
                change = fresh.change(id).map { (id, $0) }
            }
            if credential == nil { edit.mark(at: now) }
            edit.delete(AnonymousSessions.marker)
            for entry in plan.conflicts(in: meta) {
                edit.delete(entry.field)
                edit.delete(entry.userField)
                meta.tokens.removeAll { $0.field == entry.field }
            }
            if let raised = plan.raisedRoute(client: plan.client.name, at: now) {
                try edit.put(StepUpAttempts.field, fresh.stepUpAttempts.raising(raised).encoded)
            }
            if !plan.keepsSession(of: fresh) { try edit.put(plan.sessionField, plan.signIn.session) }
            var completed = try self.write(plan, &meta, &edit, credential)
            completed.isSuperseded = !isCurrent
            completed.revocable = revocable
            if let (id, noted) = change {
                var record = noted
                completed.revocable = record.take(revocable, edit, fresh, flow: plan.answered?.flow.id)
                try edit.put(
                    ChangeRecord.field(id), record.encoded, expires: record.isFinal ? record.readsUntil : nil)
            }
            return completed
        }
    }

    /// Whether a sign-in gives the cookie no more than it had: the provider session that the browser session holds already
    /// signed the same user in again, without a page, for a client whose tokens need nothing else.
    ///
    /// Then the cookie stays. Nothing could be planted or won, but a start that is given up, as by a reload of the page,
    /// would leave the browser with a cookie that was replaced, and signed out.
    private func addsNothing(_ plan: SignInPlan, _ session: OpenedSession, _ meta: MetaRecord) -> Bool {
        session.claims.isSignedIn && meta.isSignedIn && plan.answered == nil && plan.goal == nil
            && !plan.signIn.sessionIsNew && !plan.client.isElevated && plan.conflicts(in: meta).isEmpty
    }

    private func storeInNewSession(_ plan: SignInPlan) async throws(BFFError) -> CompletedSignIn {
        do {
            var (edit, credential, meta) = try records.tickets.newSession(isSignedIn: true)
            try edit.put(plan.sessionField, plan.signIn.session)
            let completed = try write(plan, &meta, &edit, credential)
            try await records.create(edit)
            return completed
        } catch {
            throw error.forCaller
        }
    }

    /// The records of a sign-in, the provider session apart.
    private func write(
        _ plan: SignInPlan, _ meta: inout MetaRecord, _ edit: inout SessionEdit, _ credential: SessionCredential?
    ) throws(EditError) -> CompletedSignIn {
        let settings = environment.settings
        let now = environment.now()
        let record = plan.userRecord(epoch: meta.epoch, environment.renderer, at: now)
        meta.put(plan.tokenEntry(signedInAt: now, limitEnd: record.limitEnd, epoch: meta.epoch))
        meta.put(plan.sessionEntry)
        edit.expires = min(now + settings.idle, meta.absoluteEnd)
        edit.delete(SilentSignIns.mark(besides: plan.tokenField))
        try edit.put(plan.tokenField, plan.signIn.tokens.encoded)
        try edit.put(plan.userField, record.encoded)
        // rule: a silent sign-in leaves the proof as it is
        if !plan.isSilent {
            // One that is far ahead would leave no room for a later one.
            let stated = plan.authTimes.stated.map { min($0, now + plan.client.leeway) }
            let proof = ProofRecord(plan.signIn.tokens, stated: stated)
            try edit.put(ProofRecord.field(besides: plan.sessionField), proof.encoded)
        }
        let user = record.user(
            environment.renderer, at: now, idle: (min(now + settings.idle, meta.absoluteEnd) - now).wholeSeconds,
            absolute: (meta.absoluteEnd - now).wholeSeconds)
        var node = FlowNode(kind: plan.client.flows.kind, flow: plan.answered?.flow.id, .success(user))
        node.isCrossBrowser = plan.isCrossBrowser
        var kept: FlowRecord.KeptAnswer?
        if let answered = plan.answered {
            var flow = answered.flow
            flow.end()
            kept = FlowRecord.KeptAnswer(
                step: answered.work.step, mac: answered.work.mac,
                outcome: .success(user.map { KeptUser($0, facts: Array(record.facts)) }),
                until: now + settings.keptAnswer,
                newSecret: credential?.secret)
            flow.kept = kept
            meta.flows.removeAll { $0.id == flow.id }
            try edit.put(flow, expires: now + settings.keptAnswer)
        }
        try edit.put(MetaRecord.field, meta.encoded)
        return CompletedSignIn(node: node, credential: credential, kept: kept)
    }
}
