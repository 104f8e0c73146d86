import Basics
import Cryptography
import JSON
import StorageKit

/// One answer to one step: the same flow, step and MAC are the same request.
struct StepKey: Hashable, Sendable {
    let session: SessionKey
    let flow: String
    let step: Int
    let mac: [UInt8]
}

/// What a step led to, as everyone who asked for it gets it.
struct StepResult: Sendable {
    let kept: FlowRecord.KeptAnswer
    /// The cookie was replaced while the step was under way: the answer waits for the new one.
    var isSuperseded = false
}

extension Backend {
    /// Answers a step of a flow; the table of design/api.md 4 says what becomes of repetitions.
    ///
    /// - Throws: `.flowExpired`, `.staleStep`, `.stepInProgress`, `.invalidAnswers`, `.sessionChanged`,
    ///   `.subjectChanged`, `.providerUnavailable` when nothing reached the provider, `.storeUnavailable`.
    public func next(
        _ name: String, _ request: NextRequest, _ context: CallContext
    ) async throws(BFFError) -> Reply {
        let (instance, definition) = try resolve(name)
        guard let session = try await open(context, [FlowRecord.field(request.flow)]),
            let flow = session.flow(request.flow), flow.instance == instance
        else { throw .flowExpired }
        let mac = HMACKey(flow.macKey).authenticate(request.body)
        guard session.claims.standing(at: time.now()) == .current else {
            // A replaced cookie collects the answer of the request that replaced it, and nothing else.
            if case .replay(let kept) = flow.decide(step: request.step, mac: mac, at: time.now()),
                kept.newSecret != nil
            {
                return try reply(StepResult(kept: kept), session)
            }
            throw .sessionChanged
        }
        let key = StepKey(session: session.key, flow: flow.id, step: request.step, mac: mac)
        let result: StepResult
        do {
            result = try await steps.run(key) { [self] in
                try await takeStep(session, definition, request, mac, context)
            }
        } catch let error as BFFError {
            throw error
        } catch {
            throw .cancelled
        }
        return try reply(result, session)
    }

    /// The answer in the form that the browser gets, with the cookie that came with it.
    private func reply(_ result: StepResult, _ session: OpenedSession) throws(BFFError) -> Reply {
        if result.isSuperseded { throw .sessionChanged }
        switch result.kept.outcome {
        case .subjectChanged:
            throw .subjectChanged
        case .node(let node):
            guard let secret = result.kept.newSecret else { return Reply(node) }
            return Reply(node, cookie: .set(session.credential.with(secret: secret).cookieValue))
        }
    }

    /// Runs once per flow, step and body in this process; another process is met through the store.
    private func takeStep(
        _ opened: OpenedSession, _ definition: ClientDefinition, _ request: NextRequest, _ mac: [UInt8],
        _ context: CallContext
    ) async throws -> StepResult {
        var session = opened
        while true {
            guard let flow = session.flow(request.flow) else { throw BFFError.flowExpired }
            switch flow.decide(step: request.step, mac: mac, at: time.now()) {
            case .replay(let kept):
                return StepResult(kept: kept)
            case .expired:
                throw BFFError.flowExpired
            case .stale:
                throw BFFError.staleStep(node: try render(flow, definition))
            case .outcomeUnknown:
                return try await settle(
                    session, flow, request, mac, definition, .failure(.outcomeUnknown, orphan: nil), context)
            case .wait(let until):
                guard ContinuousClock.now < context.deadline, time.now() < until else { throw BFFError.stepInProgress }
                try await Task.sleep(for: .milliseconds(50))
                session = try await reopen(session)
            case .send:
                try checkAnswers(request.answers, flow, definition)
                guard let sent = try await markSent(session, flow, mac, definition, context) else {
                    session = try await reopen(session)
                    continue
                }
                let who = caller(definition, sent.record(definition.sessionField(flow.instance.account)), context)
                let outcome = try await definition.client.next(request.answers, at: flow.position, who)
                return try await settle(sent, flow, request, mac, definition, outcome, context)
            }
        }
    }

    private func checkAnswers(
        _ answers: PageAnswers, _ flow: FlowRecord, _ definition: ClientDefinition
    ) throws(BFFError) {
        do {
            let problems = try definition.client.problems(in: answers, at: flow.position)
            if !problems.isEmpty { throw BFFError.invalidAnswers(problems) }
        } catch let error as BFFError {
            throw error
        } catch {
            throw .flowExpired
        }
    }

    /// Says in the store that the answer is on its way, before it is.
    ///
    /// - Returns: nil when somebody else changed the flow first.
    private func markSent(
        _ session: OpenedSession, _ flow: FlowRecord, _ mac: [UInt8], _ definition: ClientDefinition,
        _ context: CallContext
    ) async throws(BFFError) -> OpenedSession? {
        anonymous.remove(session.key)
        do {
            return try await edit(session) { fresh, edit throws(EditError) in
                guard let current = fresh.flow(flow.id), current.phase == .ready, current.step == flow.step else {
                    throw .refused(.stepInProgress)
                }
                var changed = current
                changed.phase = .sent(mac: mac, deadline: self.time.now() + definition.timeout + .seconds(15))
                try edit.put(FlowRecord.field(flow.id), changed.encoded, expires: flow.ends + self.settings.keptAnswer)
                return fresh
            }
        } catch .stepInProgress {
            return nil
        }
    }

    /// Writes what a step led to and keeps its answer for whoever asks again.
    private func settle(
        _ session: OpenedSession, _ flow: FlowRecord, _ request: NextRequest, _ mac: [UInt8],
        _ definition: ClientDefinition, _ outcome: SignInOutcome, _ context: CallContext
    ) async throws -> StepResult {
        var flow = flow
        let kind = definition.client.kind
        switch outcome {
        case .page(let position):
            flow.advance(to: position, refusal: nil)
            let node = try render(flow, definition)
            return try await keep(.node(node), flow, request.step, mac, session)
        case .refused(let position, let message, let details):
            flow.advance(
                to: position,
                refusal: FlowRecord.Refusal(message: message, details: JSONValue.array(details).serialized()))
            let node = try render(flow, definition)
            return try await keep(.node(node), flow, request.step, mac, session)
        case .failure(let failure, let orphan):
            if let orphan { await undo([.session(orphan, definition.name)], context) }
            audit(context, "Sign-in failed", flow.instance, ["reason": failure.reason])
            flow.end()
            return try await keep(.node(NodeDocument.failure(flow.id, kind, failure)), flow, request.step, mac, session)
        case .successWithoutSession:
            flow.end()
            let node = NodeDocument.success(flow.id, kind, user: nil)
            return try await keep(.node(node), flow, request.step, mac, session)
        case .success(let signIn):
            let answered = AnsweredStep(flow: flow, step: request.step, mac: mac)
            let plan = SignInPlan(
                signIn: signIn, claims: nil, instance: flow.instance, definition: definition, replace: flow.replace,
                goal: flow.goal, begun: flow.started, answered: answered)
            return try await finishSignIn(plan, session, context).result(session)
        case .notTaken(let wait):
            flow.phase = .ready
            try await write(flow, session)
            throw BFFError.providerUnavailable(retryAfter: wait)
        }
    }

    private func keep(
        _ outcome: FlowRecord.KeptAnswer.Outcome, _ flow: FlowRecord, _ step: Int, _ mac: [UInt8],
        _ session: OpenedSession
    ) async throws(BFFError) -> StepResult {
        var flow = flow
        let kept = FlowRecord.KeptAnswer(
            step: step, mac: mac, outcome: outcome, until: time.now() + settings.keptAnswer)
        flow.kept = kept
        let isSuperseded = try await write(flow, session)
        return StepResult(kept: kept, isSuperseded: isSuperseded)
    }

    /// Writes a flow that this process has marked as sent.
    ///
    /// - Returns: Whether the cookie was replaced meanwhile.
    @discardableResult
    private func write(_ flow: FlowRecord, _ session: OpenedSession) async throws(BFFError) -> Bool {
        try await edit(session) { fresh, edit throws(EditError) in
            // Cancelled, logged out or thrown out by newer flows while the provider answered.
            guard fresh.flow(flow.id) != nil else { throw .refused(.flowExpired) }
            try edit.put(FlowRecord.field(flow.id), flow.encoded, expires: flow.ends + self.settings.keptAnswer)
            if flow.phase == .ended, var meta = fresh.meta {
                meta.flows.removeAll { $0.id == flow.id }
                try edit.put(MetaRecord.field, meta.encoded)
            }
            return fresh.claims.standing(at: self.time.now()) != .current
        }
    }

    /// The node that a flow shows now.
    func render(_ flow: FlowRecord, _ definition: ClientDefinition) throws(BFFError) -> [UInt8] {
        do {
            let page = try definition.client.page(at: flow.position)
            return NodeDocument.page(flow, definition.client.kind, page, at: time.now())
        } catch {
            throw .flowExpired
        }
    }
}

extension FlowRecord {
    /// Goes on to the next step.
    fileprivate mutating func advance(to position: FlowPosition, refusal: Refusal?) {
        step += 1
        phase = .ready
        self.position = position
        self.refusal = refusal
    }

    /// Is over; its secrets go.
    mutating func end() {
        phase = .ended
        position = []
        refusal = nil
    }
}

extension FlowFailure {
    /// Whoever sent the step died; nobody knows what the provider did with it.
    static let outcomeUnknown = FlowFailure(reason: "outcome-unknown")
}
