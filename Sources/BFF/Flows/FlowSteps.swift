import Basics
import Cryptography
import Sessions
import StorageKit

/// Answers steps of flows, new and repeated requests alike.
final class FlowSteps: Sendable {
    let environment: Environment
    private let sessions: BrowserSessions
    private let records: SessionRecords
    let flows: Flows
    private let outcomes: StepOutcomes
    let prolongation: SessionProlongation
    let waitingPages = WaitingPages()

    /// The key of one answer to one step: requests with equal flow, step and MAC under one ticket are the same request.
    ///
    /// Requests under an old and a new ticket share nothing: the result of one may not be meant for the other.
    struct StepKey: Hashable, Sendable {
        let session: SessionKey
        let ticket: String
        let flow: String
        let step: Int
        let mac: [UInt8]
    }

    init(_ flows: Flows, _ outcomes: StepOutcomes, _ prolongation: SessionProlongation) {
        environment = flows.environment
        sessions = flows.sessions
        records = flows.records
        self.flows = flows
        self.outcomes = outcomes
        self.prolongation = prolongation
    }

    /// Answers a step of a flow; `StepDecision` decides on repeated requests.
    ///
    /// - Throws: `.unknownInstance`, `.flowExpired`, `.staleStep`, `.stepInProgress`, `.invalidAnswers`,
    ///   `.sessionChanged`, `.subjectChanged`, `.confirmationNeeded`, `.tooManyAttempts`, `.malformed` for a
    ///   confirmation without a question, `.stepUpRequired` when the provider finds the sign-in too weak for its
    ///   client, `.providerUnavailable` when nothing reached the provider, `.storeUnavailable`.
    func next(
        _ name: String, _ request: NextRequest, _ context: CallContext
    ) async throws(BFFError) -> Reply<FlowNode> {
        let call = try environment.call(name, context)
        // rule: an answer names a flow by an id of the form
        guard FlowRecord.isID(request.flow) else { throw .flowExpired }
        let field = FlowRecord.field(request.flow)
        guard let opened = try await sessions.open(context, [field], for: .answers) else { throw .flowExpired }
        let session: OpenedSession
        if opened.claims.status(at: environment.now()) == .current {
            session = opened
        } else {
            // A replaced cookie gets the answer of the request that replaced it, and nothing else.
            if let result = try await replay(of: request, call, opened) {
                return try await reply(result, opened, call)
            }
            // The cookie may act again, because the new one never arrived.
            guard let again = try await sessions.open(context, [field]) else { throw .flowExpired }
            // rule: a cookie that was replaced answers nothing
            guard again.claims.status(at: environment.now()) == .current else { throw .sessionChanged }
            session = again
        }
        if let node = waitingPages.page(for: request, field, in: session, call, at: environment.now()) {
            return Reply(node)
        }
        // rule: an answer is to a flow of its own instance
        guard let flow = session.storedFlow(request.flow), flow.record.instance == call.instance else {
            throw .flowExpired
        }
        try await checkUser(flow.record, session, call)
        let request = try read(request, flow.record, call.client)
        if let page = try polledPage(request, flow.record, call.client) {
            return try await poll(FlowPoll(request, found: flow, page: page, call), session)
        }
        // rule: answers are counted
        if let wait = request.countAnswer?() { throw .tooManyAttempts(retryAfter: wait) }
        await prolongation.prolong(session, call)
        let mac = flow.record.mac(of: request)
        let key = StepKey(
            session: session.key, ticket: session.credential.ticketField, flow: request.flow, step: request.step,
            mac: mac)
        let work = StepWork(call, flow, request, mac: mac)
        let limit = context.deadline - environment.settings.reserve / 2
        let result = try await environment.work.steps.share(key, until: limit) { [self] in
            try await takeStep(session, work)
        }
        guard let result else { throw .stepInProgress }
        return try await reply(result, session, call)
    }

    /// Reads the answers out of a page in the provider's own form; any other request stays as it is.
    ///
    /// A page of a former step cannot be read any more: its answer is found by the bytes of its body, or is stale.
    private func read(
        _ request: NextRequest, _ flow: FlowRecord, _ client: ClientDefinition
    ) throws(BFFError) -> NextRequest {
        guard let page = request.answers.filledPage, flow.phase != .ended else { return request }
        var request = request
        // A program that speaks the provider's protocol is told of a refusal without a new step, and answers the one
        // that it has. The page itself tells whether the answers are to it.
        if flow.refusal != nil, request.step < flow.step { request.step = flow.step }
        guard flow.step == request.step else { return request }
        let opened = try flows.open(flow, client)
        do throws(FilledPageError) {
            request.answers = try opened.answers(filledIn: page)
        } catch {
            throw .invalidAnswers(error.problems)
        }
        return request
    }

    /// Refuses a step-up to any user but the one who began it, before an early poll or a stale step shows its page.
    private func checkUser(_ flow: FlowRecord, _ session: OpenedSession, _ call: InstanceCall) async throws(BFFError) {
        guard flow.goal != nil, flow.phase != .ended else { return }
        let session = try await records.read([MetaRecord.field], of: session)
        // rule: a step-up is refused to the user who comes after
        guard !flow.isForFormerUser(in: session, call) else { throw .flowExpired }
    }

    /// The kept answer that a replaced cookie gets: the answer that brought the new cookie.
    private func replay(
        of request: NextRequest, _ call: InstanceCall, _ session: OpenedSession
    ) async throws(BFFError) -> StepResult? {
        let now = environment.now()
        // rule: a replaced cookie collects from its own instance
        guard let flow = session.flow(request.flow), flow.instance == call.instance else { return nil }
        let mac = flow.mac(of: request)
        guard case .replay(let kept) = flow.decide(step: request.step, mac: mac, at: now),
            session.mayCollect(kept, at: now)
        else { return nil }
        let answer = try await flows.keptAnswer(kept, of: flow, in: session, isFormer: true, call)
        return StepResult(answer: answer, newSecret: kept.newSecret)
    }

    /// The answer in the browser's form, with the cookie that came with it.
    func reply(
        _ result: StepResult, _ session: OpenedSession, _ call: InstanceCall
    ) async throws(BFFError) -> Reply<FlowNode> {
        // rule: an answer that a newer cookie overtook is not told
        if result.isSuperseded { throw .sessionChanged }
        switch result.answer {
        case .subjectChanged:
            throw .subjectChanged
        case .unconfirmed(let question):
            throw .confirmationNeeded(question)
        case .stepUpRequired:
            throw environment.offerOwnFlow(call, session.key)
        case .node(let node):
            guard let secret = result.newSecret else { return Reply(node) }
            let credential = session.credential.with(secret: secret)
            // The answer goes out with the cookie or not at all: without the cookie, it would disclose the facts of the
            // sign-in.
            // rule: a cookie that has come, or was replaced in its turn, is given out no more
            if !result.isFresh, try await !flows.isUnclaimed(credential, until: call.context.deadline) {
                throw .sessionChanged
            }
            let offer = flows.devices.offer(for: session, wasSignedIn: session.claims.isSignedIn)
            return Reply(node, cookie: .set(credential.cookieValue, device: offer))
        }
    }

    /// Takes a step, once per flow, step and body in this process; other processes are met through the store.
    func takeStep(_ opened: OpenedSession, _ work: StepWork) async throws -> StepResult {
        var session = opened
        var isCounted = false
        while true {
            guard let stored = session.storedFlow(work.flow, known: work.found) else { throw BFFError.flowExpired }
            let flow = stored.record
            let decision = flow.decide(step: work.step, mac: work.mac, at: environment.now())
            if session.claims.status(at: environment.now()) != .current {
                // The cookie was replaced after the session was opened: treated like a request with a replaced cookie.
                guard case .replay(let kept) = decision, session.mayCollect(kept, at: environment.now()) else {
                    throw BFFError.sessionChanged
                }
                let answer = try await flows.keptAnswer(kept, of: flow, in: session, work.call)
                return StepResult(answer: answer, newSecret: kept.newSecret)
            }
            switch decision {
            case .replay(let kept):
                return StepResult(answer: try await flows.keptAnswer(kept, of: flow, in: session, work.call))
            case .expired:
                throw BFFError.flowExpired
            case .stale:
                let client = work.call.client
                if let question = flow.confirmation(at: environment.now()) {
                    throw BFFError.confirmationNeeded(question)
                }
                let opened = try flows.open(flow, client)
                throw BFFError.staleStep(node: flows.page(flow, opened, client, at: environment.now()))
            case .outcomeUnknown:
                let unknown = SentStep(work: work, session: session, written: stored)
                if let result = try await outcomes.settleUnknown(unknown) { return result }
            case .early(let time):
                let client = work.call.client
                return flows.waiting(flow, try flows.open(flow, client), client, until: time)
            case .wait:
                session = try await awaitStep(session, work)
                continue
            case .send:
                if let asked = flow.unconfirmed {
                    if let result = try await outcomes.confirm(work, session, stored: stored, asked: asked) {
                        return result
                    }
                    break
                }
                // rule: a confirmation is no answer to a page
                guard !work.answers.confirms else { throw BFFError.malformed(field: NextRequest.confirm) }
                let opened = try flows.open(flow, work.call.client)
                let send = try judged(work, opened)
                // rule: names are counted before a password goes out
                if !isCounted { try countNames(opened, session, work) }
                isCounted = true
                if let sent = try await markSent(session, stored, work) {
                    let known = flow.travel.isCrossBrowser ? nil : sent.session.record(work.call.sessionField)
                    let outcome = try await send(known, work.call.caller(isStep: true))
                    return try await outcomes.settle(sent, outcome, after: opened)
                }
            }
            session = try await reopenFlow(session)
        }
    }

    /// Waits until the step that another process sends is done, or until its sender must have died.
    private func awaitStep(_ session: OpenedSession, _ work: StepWork) async throws(BFFError) -> OpenedSession {
        let moved = try await environment.waits.value(
            of: .session(session.key), until: work.call.context.deadline
        ) { () throws(BFFError) -> OpenedSession? in
            let fresh = try await reopenFlow(session)
            let decision = fresh.flow(work.flow)?.decide(step: work.step, mac: work.mac, at: environment.now())
            if case .wait = decision { return nil }
            return fresh
        }
        guard let moved else { throw .stepInProgress }
        return moved
    }

    /// Reads the session again; a session that ended while one of its flows was in flight ended the flow too.
    ///
    /// - Throws: `.flowExpired` for an ended session.
    func reopenFlow(_ session: OpenedSession) async throws(BFFError) -> OpenedSession {
        do {
            return try await records.reopen(session)
        } catch .signedOut {
            throw .flowExpired
        }
    }

    /// Judges the answers, here and nowhere else, and returns the function that sends them.
    private func judged(_ work: StepWork, _ opened: any OpenedFlow) throws(BFFError) -> SendAnswers {
        // The flow moved to the step after its page was read.
        guard work.answers.filledPage == nil else { throw .stepInProgress }
        switch opened.judge(work.answers) {
        case .wrong(let problems): throw .invalidAnswers(problems)
        case .right(let send): return send
        }
    }

    /// Counts the user names among the answers, across all flows.
    ///
    /// An attacker may guess the password of one user from many browsers.
    private func countNames(
        _ opened: any OpenedFlow, _ session: OpenedSession, _ work: StepWork
    ) throws(BFFError) {
        guard let countName = work.countName else { return }
        for name in opened.userNames(in: work.answers) {
            guard let wait = countName(name) else { continue }
            var facts = AuditFacts(session.key, work.call.instance)
            facts.name = name
            facts.flow = FlowDigest(of: work.flow)
            environment.audit.write(.guessing(.nameLimited), work.call.context, facts)
            throw .tooManyAttempts(retryAfter: wait)
        }
    }

    /// Stores that the answer is in flight, before it is sent.
    ///
    /// - Returns: nil if another request changed the flow first.
    private func markSent(
        _ session: OpenedSession, _ stored: StoredFlow, _ work: StepWork
    ) async throws(BFFError) -> SentStep? {
        let flow = stored.record
        environment.work.sessions.anonymous.remove(session.key)
        do {
            let (sent, revisions) = try await records.editNotingRevisions(session) { fresh, edit throws(EditError) in
                let now = self.environment.now()
                // At another revision, the flow may be at another page, or at its page with another position after a
                // poll.
                // rule: a step is sent once
                guard let current = fresh.storedFlow(flow.id, known: stored), current.revision == stored.revision,
                    flow.phase == .ready
                else { throw .refused(.stepInProgress) }
                // A cookie that was replaced since it was looked at answers nothing.
                // rule: a cookie that was replaced meanwhile sends nothing
                guard fresh.claims.status(at: now) == .current else { throw .refused(.sessionChanged) }
                // The provider may act on the answer, such as on that of a transaction, whichever user is signed in
                // here by now.
                // rule: a step-up is answered for the user who began it
                guard !flow.isForFormerUser(in: fresh, work.call) else { throw .refused(.flowExpired) }
                var sent = flow
                sent.phase = .sent(mac: work.mac, deadline: now + work.call.client.stepTimeout + .seconds(15))
                try edit.put(sent, expires: flow.ends + self.environment.settings.keptAnswer)
                edit.delete(AnonymousSessions.marker)
                if !work.isPoll { edit.expires = self.environment.idleExtension.end(of: fresh, at: now) }
                return (session: fresh, flow: sent)
            }
            let revision = revisions[FlowRecord.field(flow.id)] ?? 0
            return SentStep(
                work: work, session: sent.session, written: StoredFlow(record: sent.flow, revision: revision))
        } catch .stepInProgress {
            return nil
        } catch .signedOut {
            throw .flowExpired
        }
    }
}
