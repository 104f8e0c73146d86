import Basics
import Sessions
import StorageKit

/// Shows flows again after a reload, cancels them, and makes room for new ones.
final class Flows: Sendable {
    let environment: Environment
    let sessions: BrowserSessions
    let records: SessionRecords
    let devices: Devices

    init(_ sessions: BrowserSessions, _ devices: Devices) {
        self.devices = devices
        environment = sessions.environment
        self.sessions = sessions
        records = sessions.records
    }

    /// The node that a flow shows, so that the browser continues after a page reload.
    ///
    /// - Throws: `.flowExpired` for a flow that is unknown, over or of another instance; `.sessionChanged` for a
    ///   replaced cookie; `.confirmationNeeded` for a flow whose sign-in waits to be confirmed; `.unknownInstance`,
    ///   `.storeUnavailable`.
    func flow(_ name: String, _ id: String, _ context: CallContext) async throws(BFFError) -> FlowNode {
        let call = try environment.call(name, context)
        guard FlowRecord.isID(id),
            let session = try await sessions.open(context, [FlowRecord.field(id), MetaRecord.field])
        else { throw .flowExpired }
        let now = environment.now()
        // Checked before the flow is looked for: a replaced cookie does not even learn whether the flow exists.
        // rule: a cookie that was replaced sees no flow
        guard session.claims.status(at: now) == .current else { throw .sessionChanged }
        // rule: a flow is shown under its own instance
        guard let flow = session.flow(id), flow.instance == call.instance else { throw .flowExpired }
        switch flow.phase {
        case .sent(_, let deadline) where now >= deadline:
            return FlowNode(kind: call.client.flows.kind, flow: flow.id, .outcomeUnknown)
        case .ready, .sent:
            // rule: a flow is shown until its end
            guard now < flow.ends else { throw .flowExpired }
            // rule: a step-up is shown to the user who began it
            guard !flow.isForFormerUser(in: session, call) else { throw .flowExpired }
            if let question = flow.confirmation(at: now) { throw .confirmationNeeded(question) }
            return page(flow, try open(flow, call.client), call.client, at: now)
        case .ended:
            // rule: an end is shown while its answer is kept
            guard let kept = flow.kept, now < kept.until,
                case .node(let node) = try await keptAnswer(kept, of: flow, in: session, call)
            else { throw .flowExpired }
            return node
        }
    }

    /// Cancels a flow; a flow that does not exist counts as cancelled.
    func cancel(_ name: String, _ id: String, _ context: CallContext) async throws(BFFError) {
        let (instance, _) = try environment.resolve(name)
        guard FlowRecord.isID(id), let session = try await sessions.open(context, [FlowRecord.field(id)]) else {
            return
        }
        // rule: a cookie that was replaced cancels nothing
        guard session.claims.status(at: environment.now()) == .current else { throw .sessionChanged }
        // rule: a flow is cancelled under its own instance
        guard let flow = session.flow(id), flow.instance == instance else { return }
        let removed = try await remove(id, session) { $0.claims.status(at: self.environment.now()) == .current }
        // rule: a sign-in that is not confirmed ends with its flow
        if let asked = removed?.unconfirmed {
            let queue = sessions.revocations.queue
            sessions.revocations.carryOutInBackground(
                WrittenDown(jobs: asked.jobs(instance.client, queue)), context.withoutCookie)
        }
    }

    /// Removes a flow; a flow that does not exist counts as removed.
    ///
    /// - Parameters:
    ///   - id: The id of the flow.
    ///   - session: The session that has the flow.
    ///   - condition: Checks the session as it is at the time of the edit; false removes nothing.
    /// - Returns: The removed flow; nil if there was none.
    /// - Throws: `.sessionChanged` when the condition does not hold; `.storeUnavailable`.
    @discardableResult
    func remove(
        _ id: String, _ session: OpenedSession, only condition: @Sendable (OpenedSession) -> Bool = { _ in true }
    ) async throws(BFFError) -> FlowRecord? {
        do {
            return try await records.edit(session) { session, edit throws(EditError) -> FlowRecord? in
                // rule: a cookie that was replaced meanwhile cancels nothing
                guard condition(session) else { throw .refused(.sessionChanged) }
                guard var meta = session.meta else { return nil }
                meta.flows.removeAll { $0.id == id }
                edit.delete(FlowRecord.field(id))
                try edit.put(MetaRecord.field, meta.encoded)
                return session.flow(id)
            }
        } catch .signedOut {
            // The flow ended with its session.
            return nil
        }
    }

    /// Reads a flow's record into an open flow of its client.
    ///
    /// - Throws: `.flowExpired` for a flow whose position this version cannot read, and for a flow of a client whose
    ///   settings have changed: its position may be for another provider, or for weaker demands than the settings make
    ///   now.
    func open(_ flow: FlowRecord, _ client: ClientDefinition) throws(BFFError) -> any OpenedFlow {
        // rule: a flow is answered by the client that made it
        guard flow.madeBy == client.fingerprint else { throw .flowExpired }
        do {
            return try client.flows.open(flow.position)
        } catch {
            throw .flowExpired
        }
    }

    /// The page that a flow shows at a time.
    func page(
        _ flow: FlowRecord, _ opened: any OpenedFlow, _ client: ClientDefinition, at now: Timestamp
    ) -> FlowNode {
        let secrets = FlowSecrets(opened.secrets)
        var shown = opened.page
        shown.withhold(secrets)
        for question in opened.departures.keys {
            shown.annotate(question) { $0.departure = flow.departureHandle(by: question) }
        }
        if case .poll(let question, _) = opened.wait, case .poll(let time) = flow.awaits {
            shown.annotate(question) { $0.nextPollIn = max(.zero, time - now) }
        }
        var page = FlowNode.Page(
            step: flow.step, expiresIn: max(0, (flow.ends - now).wholeSeconds), purpose: flow.goal?.purpose,
            refusal: flow.refusal?.words, isCrossBrowser: flow.travel.isCrossBrowser, shown: shown)
        if client.showsProviderPages { page.providerPage = opened.providerPage.map { secrets.shown($0) } }
        return FlowNode(kind: client.flows.kind, flow: flow.id, .page(page))
    }

    /// The answer to a step, or to a start that ended at once.
    ///
    /// `opened` is the flow at its page, if the caller has opened it already.
    ///
    /// - Throws: `.flowExpired` for an outcome from which this version cannot make an answer.
    func answer(
        _ outcome: FlowRecord.KeptAnswer.Outcome, of flow: FlowRecord?, _ client: ClientDefinition,
        _ opened: (any OpenedFlow)? = nil
    ) throws(BFFError) -> StepAnswer {
        let state: FlowNode.State
        switch outcome {
        case .page(let time):
            guard let flow else { throw .flowExpired }
            let opened = if let opened { opened } else { try open(flow, client) }
            return .node(page(flow, opened, client, at: time))
        case .failure(let reason, let message, let more):
            state = .failure(reason: reason, message: message, more: FailureDetails(decoding: more))
        case .success(nil): state = .success(nil)
        case .success(let user?):
            guard let facts = try? UserFacts(decoding: user.facts) else { throw .flowExpired }
            state = .success(
                User(
                    rendered: environment.renderer.render(facts)[...], tokenExpiresIn: user.tokenExpiresIn,
                    idle: user.idle, absolute: user.absolute))
        case .subjectChanged: return .subjectChanged
        case .unconfirmed:
            guard let question = flow?.confirmation(at: environment.now()) else { throw .flowExpired }
            return .unconfirmed(question)
        case .stepUpRequired: return .stepUpRequired
        }
        var node = FlowNode(kind: client.flows.kind, flow: flow?.id, state)
        if case .success = state { node.isCrossBrowser = flow?.travel.isCrossBrowser ?? false }
        return .node(node)
    }

    /// Carries out the end of a flow: keeps a renewed provider session, ends an orphaned one, and writes log and audit.
    func carryOut(
        _ end: FlowEnd, goal: StepUpGoal?, facts: AuditFacts, _ call: InstanceCall, in session: OpenedSession?
    ) async {
        let (context, before) = (call.context, session?.record(call.sessionField))
        let unkept = await records.keep(end.failure?.renewedSession, of: before, call, session)
        let ended = unkept + (end.orphan.map { [.session($0, call.client.name)] } ?? [])
        await sessions.revocations.revokeInBackground(ended, context)
        var facts = facts
        if end.raised != nil {
            facts.person = goal?.person
            facts.more = goal?.auditMembers ?? [:]
            environment.audit.write(.stepUp(.answered), context, facts)
        } else if let failure = end.failure {
            environment.tell(failure, goal: goal, facts: facts, context)
        }
        if let names = end.guessed {
            facts.name = names.first
            environment.audit.write(.guessing(.flowEnded), context, facts)
        }
    }

    /// Makes room for a new flow, and adds it to the table of contents.
    ///
    /// Deletes expired flows. While the instance has as many flows as it may have, deletes the oldest idle one, or the
    /// oldest one if none is idle; then bounds the bytes of all flows.
    func makeRoom(
        forNew flow: FlowRecord, bytes: Int, _ session: OpenedSession, meta: inout MetaRecord,
        edit: inout SessionEdit
    ) {
        let now = environment.now()
        for entry in meta.flows where entry.ends <= now {
            edit.delete(FlowRecord.field(entry.id))
        }
        meta.flows.removeAll { $0.ends <= now }
        func isIdle(_ entry: MetaRecord.FlowEntry) -> Bool {
            session.flow(entry.id).map { !$0.isSent(at: now) } ?? true
        }
        func drop(_ entry: MetaRecord.FlowEntry) {
            edit.delete(FlowRecord.field(entry.id))
            meta.flows.removeAll { $0.id == entry.id }
        }
        // rule: flows of an instance have a bound
        while case let others = meta.flows(of: flow.instance), others.count >= environment.settings.flowsPerInstance {
            drop(others.first(where: isIdle) ?? others[0])
        }
        makeRoom(for: flow, bytes: bytes, session, meta: &meta, edit: &edit)
        meta.flows.append(flow.entry)
    }

    /// Drops the oldest idle flows while all flows of the session together are too long.
    ///
    /// The store bounds the size of a session: large pages must not fill it, because then every step would fail until
    /// they expire.
    func makeRoom(
        for flow: FlowRecord, bytes: Int, _ session: OpenedSession, meta: inout MetaRecord,
        edit: inout SessionEdit
    ) {
        let now = environment.now()
        func size(_ entry: MetaRecord.FlowEntry) -> Int {
            entry.id == flow.id ? 0 : session.snapshot[FlowRecord.field(entry.id)]?.value.count ?? 0
        }
        // rule: flows of a session have a bound in bytes
        while meta.flows.reduce(bytes, { $0 + size($1) }) > environment.settings.flowBytes,
            let oldest = meta.flows.first(where: { entry in
                entry.id != flow.id && session.flow(entry.id).map { !$0.isSent(at: now) } ?? true
            })
        {
            edit.delete(FlowRecord.field(oldest.id))
            meta.flows.removeAll { $0.id == oldest.id }
        }
    }

    /// Refuses an instance whose account would exceed the bound of accounts per session.
    func checkAccounts(_ meta: MetaRecord, _ instance: InstanceName) throws(EditError) {
        let accounts = meta.accounts(at: environment.now())
        // rule: accounts of a session have a bound
        guard accounts.contains(instance.account) || accounts.count < environment.settings.accounts else {
            throw .refused(.tooManyAccounts(limit: environment.settings.accounts))
        }
    }
}
