import Basics
import JSON
import OpenIDConnect
import StorageKit

/// The answer that completed a flow.
struct AnsweredStep: Sendable {
    var flow: FlowRecord
    let step: Int
    let mac: [UInt8]
}

/// A sign-in as it was stored.
struct CompletedSignIn: Sendable {
    let node: [UInt8]
    let credential: SessionCredential?
    let kept: FlowRecord.KeptAnswer?
    let isSuperseded: Bool
    /// What it has made useless at the provider and can be ended now.
    var obsolete: [Obsolete]
}

extension Backend {
    /// Stores a sign-in: provider session, tokens, user record, flow, ticket and table of contents at once.
    ///
    /// The session gets a new id. A sign-in that cannot be stored is undone at the provider.
    func finishSignIn(
        _ plan: SignInPlan, _ session: OpenedSession?, _ context: CallContext
    ) async throws(BFFError) -> CompletedSignIn {
        var plan = plan
        if plan.isSilent, let session {
            plan.signIn.tokens = session.limiting(plan.signIn.tokens, from: plan.sessionField)
        }
        if let refusal = refusal(of: plan) { return try await refuse(plan, refusal, session, context) }
        var who = caller(plan.definition, plan.signIn.session, context)
        // A flow counts as given up some time after it was sent: claims are not worth that.
        who.deadline = min(who.deadline, ContinuousClock.now + settings.claimsPatience)
        plan.claims = try? await plan.definition.client.userinfo(plan.signIn.tokens, who)
        let completed: CompletedSignIn
        do {
            completed = try await store(plan, session)
        } catch {
            await undo(plan.undoing, context)
            throw error
        }
        anonymous.remove(session?.key)
        await undo(completed.obsolete, context)
        audit(context, plan.goal == nil ? "Signed in" : "Stepped up", plan.instance, [:])
        return completed
    }

    private func store(_ plan: SignInPlan, _ session: OpenedSession?) async throws(BFFError) -> CompletedSignIn {
        guard let session else { return try await storeInNewSession(plan) }
        return try await edit(session) { fresh, edit throws(EditError) in
            guard var meta = fresh.meta else { throw .refused(.sessionChanged) }
            let now = self.time.now()
            let isCurrent = fresh.claims.standing(at: now) == .current
            // A cookie from before the sign-in may have been planted: it cannot sign in once it was replaced.
            guard isCurrent || fresh.claims.isSignedIn else { throw .refused(.sessionChanged) }
            if let answered = plan.answered { _ = try self.underWay(answered, fresh) }
            try self.checkAccounts(meta, plan.instance)
            let obsolete = try plan.obsolete(in: fresh, meta)
            var credential: SessionCredential?
            var change: (id: String, record: ChangeRecord)?
            if isCurrent, !self.addsNothing(plan, fresh, meta) {
                if !meta.isSignedIn { meta.absoluteEnd = now + self.settings.absolute }
                meta.epoch += 1
                let (new, id, record) = try self.rotate(fresh, meta, &edit)
                credential = new
                change = (id, record)
            } else if !isCurrent, let id = fresh.claims.change?.id {
                // What comes of a step that was under way belongs to the change that overtook it.
                change = fresh.change(id).map { (id, $0) }
            }
            edit.delete(AnonymousSessions.marker)
            for entry in plan.conflicts(in: meta) {
                edit.delete(entry.field)
                edit.delete(entry.userField)
                meta.tokens.removeAll { $0.field == entry.field }
            }
            if let raised = plan.raisedRoute(client: plan.definition.name, at: now) {
                try edit.put(LoopGuard.field, fresh.loopGuard.raising(raised).encoded)
            }
            if !plan.keepsSession(of: fresh) { try edit.put(plan.sessionField, plan.signIn.session) }
            var completed = try self.write(
                plan, &meta, &edit, credential, obsolete: obsolete, isSuperseded: !isCurrent)
            if let (id, noted) = change {
                var record = noted
                completed.obsolete = record.take(obsolete, edit, fresh, flow: plan.answered?.flow.id)
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
            && !plan.signIn.sessionIsNew && !plan.definition.isElevated && plan.conflicts(in: meta).isEmpty
    }

    /// The flow that a sign-in completes, as it was written when its step was sent.
    ///
    /// - Throws: `.flowExpired` when it was cancelled, logged out, thrown out or given up meanwhile.
    func underWay(_ answered: AnsweredStep, _ session: OpenedSession) throws(EditError) -> FlowRecord {
        guard let flow = session.flow(answered.flow.id), flow.step == answered.flow.step,
            flow.phase == answered.flow.phase
        else { throw .refused(.flowExpired) }
        return flow
    }

    private func storeInNewSession(_ plan: SignInPlan) async throws(BFFError) -> CompletedSignIn {
        do {
            var (edit, credential, meta) = try newSession(isSignedIn: true)
            try edit.put(plan.sessionField, plan.signIn.session)
            let completed = try write(plan, &meta, &edit, credential, obsolete: [], isSuperseded: false)
            try await commit(edit)
            return completed
        } catch {
            throw error.forCaller
        }
    }

    /// The records of a sign-in, the provider session apart.
    private func write(
        _ plan: SignInPlan, _ meta: inout MetaRecord, _ edit: inout SessionEdit, _ credential: SessionCredential?,
        obsolete: [Obsolete], isSuperseded: Bool
    ) throws(EditError) -> CompletedSignIn {
        let now = time.now()
        let user = userRecord(plan, meta.epoch)
        meta.put(plan.tokenEntry(signedInAt: now, limitEnd: user.limitEnd, epoch: meta.epoch))
        meta.put(plan.sessionEntry)
        edit.expires = min(now + settings.idle, meta.absoluteEnd)
        try edit.put(plan.tokenField, plan.signIn.tokens.encode())
        try edit.put(plan.userField, user.encoded)
        if !plan.isSilent {
            let proof = ProofRecord(plan.signIn.tokens)
            try edit.put(ProofRecord.field(besides: plan.sessionField), proof.encoded)
        }
        let node = NodeDocument.success(
            plan.answered?.flow.id, plan.definition.client.kind,
            user: user.document(
                at: now, idle: (min(now + settings.idle, meta.absoluteEnd) - now).wholeSeconds,
                absolute: (meta.absoluteEnd - now).wholeSeconds))
        var kept: FlowRecord.KeptAnswer?
        if let answered = plan.answered {
            var flow = answered.flow
            flow.end()
            kept = FlowRecord.KeptAnswer(
                step: answered.step, mac: answered.mac, outcome: .node(node), until: now + settings.keptAnswer,
                newSecret: credential?.secret)
            flow.kept = kept
            meta.flows.removeAll { $0.id == flow.id }
            try edit.put(FlowRecord.field(flow.id), flow.encoded, expires: now + settings.keptAnswer)
        }
        try edit.put(MetaRecord.field, meta.encoded)
        return CompletedSignIn(
            node: node, credential: credential, kept: kept, isSuperseded: isSuperseded, obsolete: obsolete)
    }

    private func userRecord(_ plan: SignInPlan, _ epoch: UInt64) -> UserRecord {
        userRecord(
            plan.signIn.tokens, claims: plan.claims, facts: plan.definition.client.sessionFacts(plan.signIn.session),
            plan.definition, epoch: epoch, limitEnd: plan.definition.limits.absolute.map { time.now() + $0 })
    }

    /// Renders what `user` will answer with.
    func userRecord(
        _ tokens: TokenSet, claims: JSONObject?, facts: SessionFacts?, _ definition: ClientDefinition, epoch: UInt64,
        limitEnd: Timestamp?
    ) -> UserRecord {
        let now = time.now()
        return UserRecord(
            epoch: epoch, accessEnd: tokens.expiresAt,
            renewFrom: tokens.expiresAt.map { renewFrom(issued: tokens.issuedAt, end: $0, definition) },
            limitEnd: limitEnd, idleLimit: definition.limits.idle?.milliseconds, lastUsed: now,
            hasClaims: claims != nil, claimsFrom: nil,
            head: UserDocument.head(tokens, claims: claims, session: facts)[...])
    }

    /// A threshold of more than half the token's life would renew on every call: then half its life counts.
    private func renewFrom(issued: Timestamp, end: Timestamp, _ definition: ClientDefinition) -> Timestamp {
        max(end - definition.refreshThreshold, issued + (end - issued) / 2)
    }
}
