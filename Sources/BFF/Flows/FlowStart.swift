import Basics
import Cryptography
import ResourceServer
import Sessions
import StorageKit

/// Begins flows: asks the provider for the first page and stores the flow's position.
final class FlowStart: Sendable {
    private let environment: Environment
    private let sessions: BrowserSessions
    private let records: SessionRecords
    private let flows: Flows
    private let signIns: SignIns
    private let rules: StepUpRules
    private let suspended: SuspendedFlows

    init(_ flows: Flows, _ signIns: SignIns) {
        environment = flows.environment
        sessions = flows.sessions
        records = flows.records
        self.flows = flows
        self.signIns = signIns
        rules = signIns.rules
        suspended = SuspendedFlows(flows)
    }

    /// Begins a flow of an instance; makes a session when the browser has none.
    ///
    /// - Throws: `.unknownInstance`, `.notAllowed`, `.tooManyAccounts`, `.sessionChanged`, `.subjectChanged`,
    ///   `.signedOut` for a step-up when no user is signed in, `.providerUnavailable` when nothing reached the
    ///   provider, `.storeUnavailable`.
    func start(
        _ name: String, _ request: StartRequest, _ context: CallContext
    ) async throws(BFFError) -> Reply<FlowNode> {
        let call = try environment.call(name, context)
        do throws(BFFError) {
            return try await start(call, request)
        } catch {
            tell(error, call)
            throw error
        }
    }

    /// Writes to the audit which rule a start broke.
    private func tell(_ error: BFFError, _ call: InstanceCall) {
        var facts = AuditFacts(call.context.sessionKey, call.instance)
        var event = AuditEvent.call(.refused)
        switch error {
        case .notAllowed(let member):
            facts.reason = "not-allowed"
            facts.more["member"] = member.rawValue
        case .tooManyAccounts: facts.reason = "too-many-accounts"
        case .stepUpRequired(let offer):
            event = .stepUp(.offered)
            facts.more["requirement"] = offer.requirement?.name
        default: return
        }
        environment.audit.write(event, call.context, facts)
    }

    private func start(_ call: InstanceCall, _ request: StartRequest) async throws(BFFError) -> Reply<FlowNode> {
        try check(request, for: call.client)
        let (session, replacesCookie) = try await openToStart(call, request.goal)
        let waiting = request.isResumed ? try await suspended.find(call, session) : nil
        var asked: (request: StartRequest, goal: StepUpGoal?) = try rules.stepUp(request, call, session)
        // The link may come from an attacker: nothing shows whether it is the link that the flow waits for.
        if request.isResumed { (asked.request.replace, asked.goal) = (false, waiting?.goal) }
        let work = StartWork(
            call, asked: asked, opened: (session, replacesCookie), resumes: waiting, now: environment.now())
        // The task is not cancelled with the connection: a flow that ends in a sign-in is stored or undone, never left
        // half.
        let running = Task(executorPreference: CurrentExecutor.preference) {
            [self] () async -> Result<Reply<FlowNode>, BFFError> in
            do throws(BFFError) {
                let known = work.isCrossBrowser ? nil : session?.record(call.sessionField)
                guard let outcome = try? await call.client.flows.start(work.request, session: known, call.caller())
                else { return .failure(.cancelled) }
                await suspended.end(waiting, outcome, session)
                return .success(try await begin(outcome, work))
            } catch {
                return .failure(error)
            }
        }
        return try await running.value.get()
    }

    /// The session to start in; nil if the browser has none, or if the session's table of contents is lost.
    ///
    /// `replacesCookie` is true if the browser's cookie still opens such a session: the cookie then has to be replaced.
    private func openToStart(
        _ call: InstanceCall, _ goal: String?
    ) async throws(BFFError) -> (session: OpenedSession?, replacesCookie: Bool) {
        var fields = [MetaRecord.field, call.sessionField, ProofRecord.field(besides: call.sessionField)]
        if let goal, StepUpChallenge.isID(goal) { fields.append(StepUpChallenge.field(goal)) }
        let opened: OpenedSession?
        do throws(BFFError) { opened = try await sessions.open(call.context, fields) } catch {
            // A browser that lost its key signs in to a new session, which reads nothing of the bound one.
            // rule: an unproven session is started in only for a sign-in of its own
            guard error == .deviceProofRequired, goal == nil else { throw error }
            opened = nil
        }
        guard let session = opened else { return (nil, false) }
        // rule: a cookie that was replaced starts nothing
        guard session.claims.status(at: environment.now()) == .current else { throw .sessionChanged }
        guard let meta = session.meta else {
            return (nil, call.context.cookie.flatMap { SessionCredential(cookieValue: $0) } == session.credential)
        }
        do {
            try flows.checkAccounts(meta, call.instance)
        } catch {
            throw error.forCaller
        }
        return (session, false)
    }

    /// Carries out the decision on the client's outcome.
    private func begin(_ outcome: SignInOutcome, _ work: StartWork) async throws(BFFError) -> Reply<FlowNode> {
        let call = work.call
        let context = OutcomeContext(goal: work.goal, account: call.instance.account) {
            work.session?.meta?.user(of: call.sessionField) != nil
        }
        switch context.decide(outcome, at: environment.now()) {
        case .wait(let opened, _): return try await storeAndTell(newFlow(opened, nil, work), opened, work)
        case .show(let opened, let refusal, _):
            return try await storeAndTell(newFlow(opened, refusal, work), opened, work)
        case .end(let end): return try await finish(end, work)
        case .finish(let signIn): return try await finish(signIn, work)
        case .retry(let wait, let cause):
            if let cause { environment.warn(ofUnsent: cause, call) }
            throw .providerUnavailable(retryAfter: wait)
        }
    }

    /// Carries out an end without a sign-in; a flow that showed no page is not stored.
    private func finish(_ end: FlowEnd, _ work: StartWork) async throws(BFFError) -> Reply<FlowNode> {
        let call = work.call
        let facts = AuditFacts(work.session?.key, call.instance, more: call.client.flows.facts(of: work.request))
        await flows.carryOut(end, goal: work.goal, facts: facts, call, in: work.session)
        if let raised = end.raised, let session = work.session {
            try await records.edit(session) { fresh, edit throws(EditError) in
                try edit.put(StepUpAttempts.field, fresh.stepUpAttempts.raising(raised).encoded)
            }
        }
        guard case .node(let node) = try flows.answer(end.answer, of: nil, call.client) else {
            throw .stepUpRequired(environment.requirements.ownFlow(of: call))
        }
        return Reply(node)
    }

    /// Stores a sign-in that needed no page.
    private func finish(_ signIn: SignIn, _ work: StartWork) async throws(BFFError) -> Reply<FlowNode> {
        let began = ContinuousClock.now
        do throws(BFFError) {
            let completed = try await signIns.finish(SignInPlan(signIn, work), work.session)
            // A sign-in that came while the cookie was replaced is stored; the browser has the newer cookie by now.
            guard let credential = completed.credential else { return Reply(completed.node) }
            // The session may have ended, by its cookie from before, while the store delayed this request. Of a new one
            // nobody has a cookie yet.
            if work.session != nil, ContinuousClock.now - began >= environment.settings.freshCookie {
                // rule: a cookie that is over by the time of the answer is not given out
                guard try await flows.isUnclaimed(credential, until: work.call.context.deadline) else {
                    throw .sessionChanged
                }
            }
            let wasSignedIn = work.session?.claims.isSignedIn ?? false
            let offer = await flows.devices.offer(forNew: credential, wasSignedIn: wasSignedIn)
            return Reply(completed.node, cookie: .set(credential.cookieValue, device: offer))
        } catch .signedOut {
            // The session ended while the provider answered.
            throw .sessionChanged
        }
    }

    private func newFlow(
        _ opened: any OpenedFlow, _ refusal: FlowRecord.Refusal?, _ work: StartWork
    ) -> FlowRecord {
        let now = environment.now()
        var flow = FlowRecord(
            id: FlowRecord.newID(), instance: work.call.instance, madeBy: work.call.client.fingerprint,
            // Not the time of the provider's answer: an end that comes before it is one of this sign-in too.
            started: work.begun, ends: now + environment.settings.flow,
            macKey: SecureRandom.bytes(32), step: 1, phase: .ready,
            position: [],
            // A flow that began before any sign-in had no user to replace. Its cookie may have been planted, and flows
            // of a planted cookie must not change who is signed in.
            replace: work.request.replace && work.session?.claims.isSignedIn == true, goal: work.goal,
            refusal: refusal)
        flow.travel = FlowTravel(
            target: work.target, isCrossBrowser: work.isCrossBrowser, isLinked: work.request.isResumed)
        flow.stand(at: opened, now)
        return flow
    }

    /// Stores a new flow, and writes to the audit that a transaction was begun.
    private func storeAndTell(
        _ flow: FlowRecord, _ opened: any OpenedFlow, _ work: StartWork
    ) async throws(BFFError) -> Reply<FlowNode> {
        let reply = try await store(flow, opened, work)
        if let goal = work.goal, goal.transaction != nil {
            var facts = AuditFacts(work.session?.key, work.call.instance, goal.person, more: goal.auditMembers)
            facts.flow = FlowDigest(of: flow.id)
            environment.audit.write(.stepUp(.begun), work.call.context, facts)
        }
        return reply
    }

    /// Stores a new flow, in the browser's session or in a new one.
    private func store(
        _ flow: FlowRecord, _ opened: any OpenedFlow, _ work: StartWork
    ) async throws(BFFError) -> Reply<FlowNode> {
        let node = flows.page(flow, opened, work.call.client, at: environment.now())
        let encoded = flow.encoded
        guard let session = work.session else {
            let value = try await store(flow)
            return Reply(node, cookie: work.replacesCookie ? .set(value) : .begin(value))
        }
        do {
            try await records.edit(session) { session, edit throws(EditError) in
                // rule: a start that was overtaken stores nothing
                guard session.claims.status(at: self.environment.now()) == .current, var meta = session.meta else {
                    throw .refused(.sessionChanged)
                }
                // rule: a step-up is stored for a user who is still signed in
                guard flow.goal == nil || meta.user(of: work.call.sessionField) != nil else {
                    throw .refused(.signedOut)
                }
                try self.flows.checkAccounts(meta, flow.instance)
                self.flows.makeRoom(forNew: flow, bytes: encoded.count, session, meta: &meta, edit: &edit)
                try edit.put(MetaRecord.field, meta.encoded)
                let end = flow.ends + self.environment.settings.keptAnswer
                try edit.put(FlowRecord.field(flow.id), encoded, expires: end)
                if !meta.isSignedIn {
                    edit.expires = min(max(session.snapshot.expires ?? flow.ends, flow.ends), meta.absoluteEnd)
                }
            }
            return Reply(node)
        } catch .signedOut {
            // A step-up of nobody raises nothing, and AM does not run its later steps without the provider session.
            // rule: a step-up does not outlive its session
            guard flow.goal == nil else { throw .signedOut }
            // The session ended while the provider answered: the flow is stored in a new session.
            return Reply(node, cookie: .begin(try await store(flow)))
        }
    }

    /// Stores a flow as the first of a new session, and returns the value of the session's cookie.
    private func store(_ flow: FlowRecord) async throws(BFFError) -> String {
        do {
            var (edit, credential, meta) = try records.newSession(isSignedIn: false)
            meta.flows = [flow.entry]
            edit.expires = min(max(edit.expires ?? flow.ends, flow.ends), meta.absoluteEnd)
            try edit.put(MetaRecord.field, meta.encoded)
            try edit.put(flow, expires: flow.ends + environment.settings.keptAnswer)
            try await records.create(edit)
            if let oldest = environment.work.sessions.anonymous.add(credential.sessionKey) {
                await records.store.evict(oldest)
            }
            return credential.cookieValue
        } catch {
            throw error.forCaller
        }
    }

    /// Checks that a start asks for what its client allows.
    private func check(_ request: StartRequest, for client: ClientDefinition) throws(BFFError) {
        let allowed = client.allowed
        // rule: a start has what its product takes
        try client.flows.check(request)
        // rule: a start comes back to a listed target
        if let target = request.returnTarget, !environment.settings.returns.isTarget(target) {
            throw .notAllowed(.returnTarget)
        }
        // rule: a start asks for allowed classes
        if !Set(request.acrValues).isSubset(of: allowed.acrValues) { throw .notAllowed(.acrValues) }
        // rule: a start has an allowed prompt
        if let prompt = request.prompt, !allowed.prompts.contains(prompt) { throw .notAllowed(.prompt) }
        for name in request.parameters.keys.sorted() where !allowed.parameters.contains(name) {
            throw .notAllowed(.parameters)
        }
    }
}
