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
    let obsolete: [Obsolete]

    var reply: Reply {
        Reply(node, cookie: credential.map { .set($0.cookieValue) } ?? .keep)
    }

    /// The result of the step that completed it.
    func result(_ session: OpenedSession) throws(BFFError) -> StepResult {
        guard let kept else { throw .flowExpired }
        return StepResult(kept: kept, isSuperseded: isSuperseded)
    }
}

extension Backend {
    /// Stores a sign-in: provider session, tokens, user record, flow, ticket and table of contents at once.
    ///
    /// The session gets a new id. A sign-in that cannot be stored is undone at the provider.
    func finishSignIn(
        _ plan: SignInPlan, _ session: OpenedSession?, _ context: CallContext
    ) async throws(BFFError) -> CompletedSignIn {
        if let refusal = refusal(of: plan) { return try await refuse(plan, refusal, session, context) }
        var plan = plan
        plan.claims = try? await plan.definition.client.userinfo(
            plan.signIn.tokens, caller(plan.definition, plan.signIn.session, context))
        let completed: CompletedSignIn
        do {
            completed = try await store(plan, session)
        } catch {
            await undo(plan.undoing, context)
            if error == .subjectChanged, let session, let answered = plan.answered {
                audit(context, "Sign-in refused", plan.instance, ["reason": "subject-changed"])
                try await keepSubjectChanged(answered, session)
            }
            throw error
        }
        anonymous.remove(completed.credential?.sessionKey ?? session?.key)
        await undo(completed.obsolete, context)
        audit(context, plan.goal == nil ? "Signed in" : "Stepped up", plan.instance, [:])
        return completed
    }

    private func store(_ plan: SignInPlan, _ session: OpenedSession?) async throws(BFFError) -> CompletedSignIn {
        guard let session else { return try await storeInNewSession(plan) }
        return try await edit(session) { fresh, edit throws(EditError) in
            guard var meta = fresh.meta else { throw .refused(.sessionChanged) }
            let isCurrent = fresh.claims.standing(at: self.time.now()) == .current
            // A cookie from before the sign-in may have been planted: it cannot sign in once it was replaced.
            guard isCurrent || fresh.claims.isSignedIn else { throw .refused(.sessionChanged) }
            if let answered = plan.answered, fresh.flow(answered.flow.id) == nil { throw .refused(.flowExpired) }
            let obsolete = try plan.obsolete(in: fresh, meta)
            if isCurrent {
                if !fresh.claims.isSignedIn { meta.absoluteEnd = self.time.now() + self.settings.absolute }
                meta.epoch += 1
            }
            let credential = isCurrent ? try self.rotate(fresh, meta, &edit) : nil
            for entry in plan.conflicts(in: meta) {
                edit.delete(entry.field)
                edit.delete(entry.userField)
                meta.tokens.removeAll { $0.field == entry.field }
            }
            return try self.write(plan, &meta, &edit, credential, obsolete: obsolete, isSuperseded: !isCurrent)
        }
    }

    private func storeInNewSession(_ plan: SignInPlan) async throws(BFFError) -> CompletedSignIn {
        do {
            var (edit, credential, meta) = try newSession()
            meta.epoch = 1
            let claims = TicketClaims(
                standing: .current, epoch: 1, isSignedIn: true, absoluteEnd: meta.absoluteEnd)
            edit.setRaw(credential.ticketField, try ticket(claims, edit.dataKey, credential))
            let completed = try write(plan, &meta, &edit, credential, obsolete: [], isSuperseded: false)
            try await commit(edit)
            return completed
        } catch {
            throw error.forCaller
        }
    }

    /// The records of a sign-in.
    private func write(
        _ plan: SignInPlan, _ meta: inout MetaRecord, _ edit: inout SessionEdit, _ credential: SessionCredential?,
        obsolete: [Obsolete], isSuperseded: Bool
    ) throws(EditError) -> CompletedSignIn {
        let now = time.now()
        let user = userRecord(plan, meta.epoch)
        meta.put(plan.tokenEntry(signedInAt: now, limitEnd: user.limitEnd))
        meta.put(plan.sessionEntry)
        edit.expires = min(now + settings.idle, meta.absoluteEnd)
        try edit.put(plan.sessionField, plan.signIn.session)
        try edit.put(plan.tokenField, plan.signIn.tokens.encode())
        try edit.put(plan.userField, user.encoded)
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
            hasClaims: claims != nil, head: UserDocument.head(tokens, claims: claims, session: facts))
    }

    /// A threshold of more than half the token's life would renew on every call: then half its life counts.
    private func renewFrom(issued: Timestamp, end: Timestamp, _ definition: ClientDefinition) -> Timestamp {
        max(end - definition.refreshThreshold, issued + (end - issued) / 2)
    }

    private func keepSubjectChanged(_ answered: AnsweredStep, _ session: OpenedSession) async throws(BFFError) {
        try await edit(session) { fresh, edit throws(EditError) in
            guard var flow = fresh.flow(answered.flow.id), var meta = fresh.meta else { return }
            flow.end()
            flow.kept = FlowRecord.KeptAnswer(
                step: answered.step, mac: answered.mac, outcome: .subjectChanged,
                until: self.time.now() + self.settings.keptAnswer)
            meta.flows.removeAll { $0.id == flow.id }
            try edit.put(FlowRecord.field(flow.id), flow.encoded, expires: self.time.now() + self.settings.keptAnswer)
            try edit.put(MetaRecord.field, meta.encoded)
        }
    }
}
