import Basics
import Cryptography
import JSON
import OpenIDConnect
import Sessions
import StorageKit

/// Sign-ins by a link that would replace another user: kept until the user confirms them, or ended.
///
/// The sender of the link may have signed in as themselves, to see everything that the victim does from then on. The
/// user decides, by the name of the new user; until then nothing of the browser session changes.
extension SignIns {
    /// The time between the end of an unconfirmed sign-in and its revocation: clocks of processes differ.
    private static let clockTolerance = Duration.seconds(30)

    /// Keeps a sign-in that was refused because it is of another user, until its user confirms it.
    ///
    /// - Returns: The question; nil if nothing is asked and the refusal stands.
    /// - Throws: The errors of a sign-in that cannot be stored; the sign-in is then ended.
    func ask(_ plan: SignInPlan, _ session: OpenedSession) async throws(BFFError) -> SubjectQuestion? {
        // rule: nothing but a link's own new session waits to be confirmed
        guard plan.isByLink, plan.goal == nil, plan.signIn.sessionIsNew else { return nil }
        let now = environment.now()
        let until = now + environment.settings.confirmation
        let mark = UnconfirmedSignIn.markField(SecureRandom.token(12))
        let id = plan.answered?.flow.id ?? FlowRecord.newID()
        let condition = HeldRevocation.Condition(
            due: until + Self.clockTolerance, session: session.key, flow: FlowRecord.field(id), mark: mark)
        // The revocations are stored before the sign-in waits; if they cannot be stored, it does not wait.
        guard
            let jobs = try? await revocations.queue.add(
                plan.revocableUnlessStored, of: environment.clients, unless: condition)
        else {
            return nil
        }
        var asked = UnconfirmedSignIn(plan, mark: mark)
        asked.held = jobs.map(\.held)
        var flow = plan.answered?.flow ?? newFlow(plan, id)
        flow.wait(for: asked, until: until)
        let edited: EditOutcome<SubjectQuestion?>
        do throws(BFFError) {
            edited = try await write(flow, plan, session)
            if case .unknown(_, isOver: true) = edited { throw BFFError.signedOut }
        } catch {
            revocations.carryOutInBackground(WrittenDown(jobs: jobs), plan.call.context.withoutCookie)
            throw error == .signedOut && plan.answered == nil ? .sessionChanged : error
        }
        // It is unknown whether the sign-in waits: the stored revocations end it in any case, when its time is over.
        guard case .done(let question, _) = edited else { throw BFFError(StoreError.unavailable) }
        var facts = plan.facts(session.key)
        facts.flow = FlowDigest(of: id)
        environment.audit.write(.signIn(.asked), plan.call.context, facts)
        return question
    }

    /// The flow of a link that needed no page: it shows only the question.
    private func newFlow(_ plan: SignInPlan, _ id: String) -> FlowRecord {
        var flow = FlowRecord(
            id: id, instance: plan.call.instance, madeBy: plan.client.fingerprint, started: plan.begun,
            ends: environment.now(), macKey: SecureRandom.bytes(32), step: 0, phase: .ready, position: [],
            replace: false, goal: nil)
        flow.travel = FlowTravel(isCrossBrowser: plan.isCrossBrowser, isLinked: true)
        return flow
    }

    private func write(
        _ waiting: FlowRecord, _ plan: SignInPlan, _ session: OpenedSession
    ) async throws(BFFError) -> EditOutcome<SubjectQuestion?> {
        let settings = environment.settings
        return try await records.tryEdit(session) { fresh, edit throws(EditError) in
            let now = self.environment.now()
            // rule: nothing waits under a cookie that was replaced meanwhile
            guard var meta = fresh.meta, fresh.claims.status(at: now) == .current else {
                throw .refused(.sessionChanged)
            }
            // rule: a step that was given up leaves nothing to confirm
            if let answered = plan.answered, !answered.isUnderWay(in: fresh) { throw .refused(.flowExpired) }
            try self.flows.checkAccounts(meta, plan.call.instance)
            var flow = waiting
            flow.unconfirmed?.former = UnconfirmedSignIn.users(of: plan.conflicts(in: meta))
            if let answered = plan.answered {
                flow.kept = answered.kept(.unconfirmed, until: now + settings.keptAnswer)
                meta.flows.removeAll { $0.id == flow.id }
            }
            let bytes = flow.estimatedByteCount
            self.flows.makeRoom(forNew: flow, bytes: bytes, fresh, meta: &meta, edit: &edit)
            edit.mark(at: now)
            try edit.put(flow, expires: flow.ends + settings.keptAnswer)
            try edit.put(MetaRecord.field, meta.encoded)
            return flow.confirmation(at: now)
        }
    }

    /// Stores the sign-in that waits in a flow, in place of the users that its user was asked about.
    ///
    /// - Parameters:
    ///   - sent: The confirmation as a step, with the session and the flow as they were read.
    ///   - asked: The sign-in that waits.
    /// - Returns: nil if another request changed the flow first.
    /// - Throws: `.confirmationNeeded` when another user is signed in by now; `.sessionChanged`, `.flowExpired`,
    ///   `.storeUnavailable`.
    func confirm(_ sent: SentStep, _ asked: UnconfirmedSignIn) async throws(BFFError) -> StepResult? {
        let call = sent.work.call
        // rule: a sign-in is confirmed at the client that made it
        guard sent.flow.madeBy == call.client.fingerprint, let tokens = try? TokenSet(decoding: asked.tokens) else {
            throw .flowExpired
        }
        let began = ContinuousClock.now
        var plan = SignInPlan(asked, tokens, sent)
        let completed: CompletedSignIn
        do {
            let edited = try await store(plan, sent.session)
            plan.device = environment.auditedDevice(of: sent.session)
            // If it is unknown whether the sign-in is stored, it is confirmed again, or ended by its stored revocations.
            completed = try revocations.result(
                of: edited, brought: [], replaced: \.revocable,
                audited: (.signIn(.done), plan.facts(sent.session.key)), call.context)
        } catch .subjectChanged {
            return try await askAnew(plan, sent)
        } catch .flowExpired {
            return nil
        } catch .signInEnded {
            return try await end(plan, asked, sent)
        } catch .signedOut {
            throw .flowExpired
        }
        environment.work.sessions.ends.forget(sent.session.key, call.instance)
        await revocations.revokeInBackground(completed.revocable, call.context)
        await revocations.forget(asked.jobs(call.client.name, revocations.queue))
        environment.audit.write(.signIn(.done), call.context, plan.facts(sent.session.key))
        return StepResult(
            answer: .node(completed.node), newSecret: completed.kept?.newSecret,
            isFresh: ContinuousClock.now - began < environment.settings.freshCookie)
    }

    /// Refuses a sign-in whose user was ended while it waited; its stored revocations are carried out.
    ///
    /// - Returns: nil if another request changed the flow first.
    private func end(
        _ plan: SignInPlan, _ asked: UnconfirmedSignIn, _ sent: SentStep
    ) async throws(BFFError) -> StepResult? {
        let refused: CompletedSignIn
        do throws(BFFError) {
            refused = try await refuse(plan, .ended, sent.session)
        } catch {
            guard error == .flowExpired else { throw error }
            return nil
        }
        let jobs = asked.jobs(plan.client.name, revocations.queue)
        revocations.carryOutInBackground(WrittenDown(jobs: jobs), plan.call.context.withoutCookie)
        return StepResult(answer: .node(refused.node), newSecret: nil, isFresh: false)
    }

    /// Checks a confirmation against the session as it is at the time of the edit, and leaves the mark by which the
    /// stored revocations know of it.
    func check(
        _ asked: UnconfirmedSignIn, _ plan: SignInPlan, in session: OpenedSession, meta: MetaRecord,
        edit: inout SessionEdit
    ) throws(EditError) {
        let now = environment.now()
        // rule: a cookie that was replaced meanwhile confirms nothing
        guard session.claims.status(at: now) == .current else { throw .refused(.sessionChanged) }
        // rule: a confirmation comes in time
        guard let flow = plan.answered?.flow, now < flow.ends else { throw .refused(.flowExpired) }
        // rule: a confirmation is for the users whom it was asked about
        guard asked.covers(plan.conflicts(in: meta)) else { throw .refused(.subjectChanged) }
        let due = flow.ends + Self.clockTolerance
        edit.leave(asked.mark, expires: revocations.queue.end(ofHeld: due) + .seconds(60))
    }

    /// Asks once more, about the users who are signed in now; a confirmation of the former question does not count.
    private func askAnew(_ plan: SignInPlan, _ sent: SentStep) async throws(BFFError) -> StepResult? {
        let question: SubjectQuestion?
        do {
            question = try await records.edit(sent.session) { fresh, edit throws(EditError) in
                let now = self.environment.now()
                guard sent.isUnderWay(in: fresh), let meta = fresh.meta else { throw .refused(.flowExpired) }
                guard fresh.claims.status(at: now) == .current else { throw .refused(.sessionChanged) }
                var flow = sent.flow
                flow.step += 1
                flow.unconfirmed?.former = UnconfirmedSignIn.users(of: plan.conflicts(in: meta))
                let end = now + self.environment.settings.keptAnswer
                flow.kept = sent.kept(.unconfirmed, until: end)
                try edit.put(flow, expires: flow.ends + self.environment.settings.keptAnswer)
                return flow.confirmation(at: now)
            }
        } catch .flowExpired {
            return nil
        } catch .signedOut {
            throw .flowExpired
        }
        guard let question else { throw .flowExpired }
        environment.audit.write(.signIn(.asked), plan.call.context, plan.facts(sent.session.key))
        throw .confirmationNeeded(question)
    }
}

extension FlowRecord {
    /// Ends the flow's pages, so that the flow shows only the question whether a sign-in counts.
    fileprivate mutating func wait(for asked: UnconfirmedSignIn, until end: Timestamp) {
        self.end()
        phase = .ready
        step += 1
        ends = end
        unconfirmed = asked
    }
}

extension UnconfirmedSignIn {
    /// Makes a sign-in that is to be confirmed; the users that it replaces and its revocations are added later.
    fileprivate init(_ plan: SignInPlan, mark: String) {
        self.init(
            session: plan.signIn.session, tokens: plan.signIn.tokens.encoded, claims: plan.claims?.text,
            subject: plan.signIn.tokens.subject, name: ShownName.name(in: plan.claims), former: [], held: [],
            mark: mark)
    }
}

extension SignInPlan {
    /// Makes the plan of a sign-in that its user has confirmed.
    fileprivate init(_ asked: UnconfirmedSignIn, _ tokens: TokenSet, _ sent: SentStep) {
        self.init(SignIn(session: asked.session, tokens: tokens, sessionIsNew: true), sent, replace: true)
        claims = asked.claims.flatMap { (try? JSONValue(parsing: Array($0.utf8)))?.object }
        authTimes = (tokens.authTime, nil)
        isByLink = false
        confirmed = asked
    }
}
