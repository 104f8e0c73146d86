import Basics
import JSON
import OpenIDConnect
import Sessions
import StorageKit

/// Stores completed sign-ins.
final class SignIns: Sendable {
    let environment: Environment
    let records: SessionRecords
    let revocations: Revocations
    private let sessions: BrowserSessions
    let flows: Flows
    let rules: StepUpRules
    private let cleanup: SessionCleanup

    init(_ flows: Flows, _ rules: StepUpRules, _ cleanup: SessionCleanup) {
        environment = flows.environment
        records = flows.records
        sessions = flows.sessions
        revocations = sessions.revocations
        self.flows = flows
        self.rules = rules
        self.cleanup = cleanup
    }

    /// Stores a sign-in: provider session, tokens, user record, flow, ticket and table of contents at once.
    ///
    /// The session gets a new id. A sign-in that cannot be stored is undone at the provider. If it is unknown whether
    /// it is stored, it is undone once the store has said that it is not.
    func finish(_ plan: SignInPlan, _ session: OpenedSession?) async throws(BFFError) -> CompletedSignIn {
        var plan = plan
        let context = plan.call.context
        plan.bound(in: session)
        // rule: a sign-in that does not reach its goal is refused
        if let refusal = rules.refusal(of: plan, at: environment.now()) {
            return try await refuse(plan, refusal, session)
        }
        // A flow counts as given up some time after it was sent, and the claims are not worth that.
        let deadline = min(plan.call.deadline(), .now + environment.settings.claimsPatience)
        plan.claims = try? await plan.client.tokens.userinfo(plan.signIn.tokens, deadline: deadline)
        let edited: EditOutcome<CompletedSignIn>
        do {
            edited = try await store(plan, session)
        } catch {
            // rule: a sign-in that was ended under way is refused
            if error == .signInEnded, !plan.isByUse {
                let refused = try await refuse(plan, .ended, session)
                await endUsed(plan, session)
                return refused
            }
            if error == .subjectChanged, let session, let question = try await ask(plan, session) {
                throw .confirmationNeeded(question)
            }
            tellRefused(plan, error, session?.key)
            await revocations.revokeInBackground(plan.revocableUnlessStored + unkept(plan, session), context)
            throw error
        }
        plan.device = environment.auditedDevice(of: session)
        let event = plan.goal == nil ? AuditEvent.signIn(.done) : .stepUp(.met)
        let completed: CompletedSignIn
        do {
            completed = try revocations.result(
                of: edited, brought: plan.revocableUnlessStored, replaced: \.revocable,
                audited: (event, plan.facts(session?.key)), context)
        } catch .signedOut {
            tellRefused(plan, .signedOut, session?.key)
            await revocations.revokeInBackground(unkept(plan, session), context)
            throw .signedOut
        }
        environment.work.sessions.anonymous.remove(session?.key)
        if let key = session?.key { environment.work.sessions.ends.forget(key, plan.call.instance) }
        await revocations.revokeInBackground(completed.revocable, context)
        environment.audit.write(event, context, plan.facts(session?.key ?? completed.credential?.sessionKey))
        return completed
    }

    /// Ends the provider session that alone brought a sign-in whose user was ended, so that the next start asks the user.
    private func endUsed(_ plan: SignInPlan, _ session: OpenedSession?) async {
        guard plan.isSilent, let session, let fresh = try? await records.reopen(session),
            [plan.sessionBefore, plan.signIn.session].contains(fresh.record(plan.sessionField))
        else { return }
        try? await cleanup.endProviderSession(fresh, plan.sessionField, because: .user, plan.call.context)
    }

    /// Keeps the provider session of before under the name that it has since the flow, although the sign-in is not
    /// stored.
    ///
    /// - Returns: The provider session, if the browser session does not have it any more.
    func unkept(_ plan: SignInPlan, _ session: OpenedSession?) async -> [Revocable] {
        guard plan.isRenamed else { return [] }
        return await records.keep(plan.signIn.session, of: plan.sessionBefore, plan.call, session)
    }

    /// Writes to the audit why a sign-in was refused when it was to be stored; not for a sign-in that the use of an
    /// instance caused.
    private func tellRefused(_ plan: SignInPlan, _ error: BFFError, _ session: SessionKey?) {
        let isOvertaken = error == .sessionChanged || error == .signedOut
        guard !plan.isByUse, isOvertaken || error == .subjectChanged else { return }
        let facts = plan.facts(session, reason: isOvertaken ? "session-changed" : "subject-changed")
        environment.audit.write(plan.refusedEvent, plan.call.context, facts)
    }

    /// Stores a sign-in in a session, or in a new one.
    func store(
        _ plan: SignInPlan, _ session: OpenedSession?
    ) async throws(BFFError) -> EditOutcome<CompletedSignIn> {
        guard let session else { return .done(try await storeInNewSession(plan), revisions: [:]) }
        let names = names(of: plan)
        func check(_ fresh: OpenedSession) async throws(EditError) {
            try await enter(plan, names, session.key, as: fresh)
        }
        return try await records.tryEdit(session, check: check) { fresh, edit throws(EditError) in
            guard var meta = fresh.meta else { throw .refused(.sessionChanged) }
            let now = self.environment.now()
            let isCurrent = fresh.claims.status(at: now) == .current
            try self.check(plan, fresh, meta: meta, isCurrent: isCurrent, edit: &edit)
            let revocable = try plan.revocable(in: fresh, meta)
            let (credential, change) = try self.changeCookie(
                plan, fresh, meta: &meta, isCurrent: isCurrent, edit: &edit)
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
            var completed = try self.write(plan, &meta, edit: &edit, credential: credential)
            try self.list(plan, meta, fresh, &edit)
            completed.isSuperseded = !isCurrent
            completed.revocable = revocable
            if let (id, noted) = change {
                var record = noted
                completed.revocable = record.take(
                    revocable, edit, fresh, flow: plan.answered?.flow.id, among: RotationRecord.purposes)
                try edit.put(
                    RotationRecord.field(id), record.encoded, expires: record.isFinal ? record.readsUntil : nil)
            }
            return completed
        }
    }

    /// Checks a sign-in against the session as it is when it is stored.
    private func check(
        _ plan: SignInPlan, _ session: OpenedSession, meta: MetaRecord, isCurrent: Bool, edit: inout SessionEdit
    ) throws(EditError) {
        // A cookie from before the sign-in may have been planted: it cannot sign in once it was replaced.
        // rule: a cookie from before the sign-in does not sign in once it was replaced
        guard isCurrent || session.claims.isSignedIn else { throw .refused(.sessionChanged) }
        // rule: a step that was given up signs nobody in
        if let answered = plan.answered, !answered.isUnderWay(in: session) { throw .refused(.flowExpired) }
        if let asked = plan.confirmed { try check(asked, plan, in: session, meta: meta, edit: &edit) }
        // The user signed in, or out, meanwhile.
        // rule: tokens that are not wanted any more are not kept
        if plan.isByUse, !plan.isStillWanted(in: session) { throw .refused(.signedOut) }
        // rule: a sign-in has one of the accounts that a session may have
        try flows.checkAccounts(meta, plan.call.instance)
    }

    /// Replaces the cookie, if it is the current one and the sign-in adds to its rights.
    ///
    /// - Returns: The new cookie, and the cookie change that the sign-in belongs to: a step in flight belongs to the
    ///   change that overtook it.
    private func changeCookie(
        _ plan: SignInPlan, _ session: OpenedSession, meta: inout MetaRecord, isCurrent: Bool,
        edit: inout SessionEdit
    ) throws(EditError) -> (SessionCredential?, change: (id: String, record: RotationRecord)?) {
        let now = environment.now()
        if isCurrent, !addsNothing(plan, session, meta) {
            if !meta.isSignedIn { meta.absoluteEnd = now + environment.settings.absolute }
            meta.epoch += 1
            let (credential, id, record) = try records.rotate(session, meta, &edit)
            return (credential, (id, record))
        }
        edit.mark(at: now)
        guard !isCurrent, let id = session.claims.rotation?.id else { return (nil, nil) }
        return (nil, session.rotation(id).map { (id, $0) })
    }

    /// True if a sign-in adds nothing to the rights of the cookie.
    ///
    /// That holds if the provider session of the browser session signed the same user in again, without a page, for a
    /// client whose tokens need nothing else.
    ///
    /// Then the cookie stays. An attacker who planted the cookie would win nothing. A replaced cookie would do harm: a
    /// start that is given up, for example by a reload, would leave the browser with the replaced cookie, and signed
    /// out.
    private func addsNothing(_ plan: SignInPlan, _ session: OpenedSession, _ meta: MetaRecord) -> Bool {
        session.claims.isSignedIn && meta.isSignedIn && plan.answered == nil && plan.goal == nil
            && !plan.signIn.sessionIsNew && !plan.client.isElevated && plan.conflicts(in: meta).isEmpty
    }

    private func storeInNewSession(_ plan: SignInPlan) async throws(BFFError) -> CompletedSignIn {
        do {
            var (edit, credential, meta) = try records.newSession(isSignedIn: true)
            try edit.put(plan.sessionField, plan.signIn.session)
            let completed = try write(plan, &meta, edit: &edit, credential: credential)
            try list(plan, meta, nil, &edit)
            try await enter(plan, names(of: plan), edit.key, as: nil)
            try await records.create(edit)
            return completed
        } catch {
            throw error.forCaller
        }
    }

    /// Writes the records of a sign-in, except for the provider session.
    private func write(
        _ plan: SignInPlan, _ meta: inout MetaRecord, edit: inout SessionEdit, credential: SessionCredential?
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
            // A time that is far ahead would leave no room for a later one.
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
            let noted = answered.kept(
                .success(user.map { KeptUser($0, facts: plan.userFacts.encoded) }), until: now + settings.keptAnswer,
                newSecret: credential?.secret)
            try edit.end(answered.flow, noted, &meta, expires: now + settings.keptAnswer)
            kept = noted
        }
        try edit.put(MetaRecord.field, meta.encoded)
        return CompletedSignIn(node: node, credential: credential, kept: kept)
    }
}
