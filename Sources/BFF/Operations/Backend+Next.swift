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
    /// The answer came just now; a kept one may hand out a credential that was replaced since.
    var isFresh = false
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
        guard FlowRecord.isID(request.flow) else { throw .flowExpired }
        let field = FlowRecord.field(request.flow)
        guard let opened = try await open(context, [field], for: .answers) else { throw .flowExpired }
        let session: OpenedSession
        if opened.claims.standing(at: time.now()) == .current {
            session = opened
        } else {
            // A replaced cookie collects the answer of the request that replaced it, and nothing else.
            if let kept = replay(of: request, instance, opened) {
                return try await reply(StepResult(kept: kept), opened)
            }
            // It may be that the cookie acts again, because the new one never arrived.
            guard let again = try await open(context, [field]) else { throw .flowExpired }
            guard again.claims.standing(at: time.now()) == .current else { throw .sessionChanged }
            session = again
        }
        guard let flow = session.flow(request.flow), flow.instance == instance else { throw .flowExpired }
        let mac = HMACKey(flow.macKey).authenticate(request.body)
        let key = StepKey(session: session.key, flow: flow.id, step: request.step, mac: mac)
        let work = StepWork(
            definition: definition, flow: flow.id, step: request.step, mac: mac, answers: request.answers,
            context: context)
        return try await reply(
            try await shared(key, until: context.deadline - settings.reserve / 2) { [self] in
                try await takeStep(session, work)
            }, session)
    }

    /// The kept answer that a replaced cookie gets: the one that brought the cookie in its place.
    private func replay(
        of request: NextRequest, _ instance: InstanceName, _ session: OpenedSession
    ) -> FlowRecord.KeptAnswer? {
        let now = time.now()
        guard let flow = session.flow(request.flow), flow.instance == instance,
            let change = session.claims.change, now < change.replaysUntil
        else { return nil }
        let mac = HMACKey(flow.macKey).authenticate(request.body)
        guard case .replay(let kept) = flow.decide(step: request.step, mac: mac, at: now), kept.newSecret != nil else {
            return nil
        }
        return kept
    }

    /// Runs a step, or joins whoever runs it; it goes on without whoever waits.
    private func shared(
        _ key: StepKey, until deadline: ContinuousClock.Instant,
        _ operation: @escaping @Sendable () async throws -> StepResult
    ) async throws(BFFError) -> StepResult {
        do {
            return try await steps.run(key, until: deadline, operation)
        } catch let error as BFFError {
            throw error
        } catch is DeadlinePassed {
            throw .stepInProgress
        } catch {
            throw .cancelled
        }
    }

    /// The answer in the form that the browser gets, with the cookie that came with it.
    private func reply(_ result: StepResult, _ session: OpenedSession) async throws(BFFError) -> Reply {
        if result.isSuperseded { throw .sessionChanged }
        switch result.kept.outcome {
        case .subjectChanged:
            throw .subjectChanged
        case .node(let node):
            guard let secret = result.kept.newSecret else { return Reply(node) }
            let credential = session.credential.with(secret: secret)
            guard credential != session.credential else { return Reply(node) }
            if !result.isFresh, try await !isCurrent(credential) {
                // Replaced in its turn: the browser must not get it in the place of a newer one.
                guard session.claims.standing(at: time.now()) == .current else { throw .sessionChanged }
                return Reply(node)
            }
            return Reply(node, cookie: .set(credential.cookieValue))
        }
    }

    private func isCurrent(_ credential: SessionCredential) async throws(BFFError) -> Bool {
        let session = try await open(credential, .names([credential.ticketField]))
        return session?.claims.standing(at: time.now()) == .current
    }

    /// Runs once per flow, step and body in this process; another process is met through the store.
    private func takeStep(_ opened: OpenedSession, _ work: StepWork) async throws -> StepResult {
        var session = opened
        while true {
            guard let flow = session.flow(work.flow) else { throw BFFError.flowExpired }
            switch flow.decide(step: work.step, mac: work.mac, at: time.now()) {
            case .replay(let kept):
                // Replaced since it was opened: as for one that comes with a replaced cookie.
                let isCurrent = session.claims.standing(at: time.now()) == .current
                return StepResult(kept: kept, isSuperseded: !isCurrent && kept.newSecret == nil)
            case .expired:
                throw BFFError.flowExpired
            case .stale:
                throw BFFError.staleStep(node: try render(flow, work.definition))
            case .outcomeUnknown:
                if let result = try await settleUnknown(session, flow, work) { return result }
            case .wait:
                guard ContinuousClock.now < work.context.deadline else { throw BFFError.stepInProgress }
                try await Task.sleep(for: .milliseconds(50))
            case .send:
                try checkAnswers(work.answers, flow, work.definition)
                if let sent = try await markSent(session, flow, work) { return try await send(sent, work) }
            }
            session = try await reopenFlow(session)
        }
    }

    /// A session that ended while one of its flows was under way took the flow with it.
    private func reopenFlow(_ session: OpenedSession) async throws(BFFError) -> OpenedSession {
        do {
            return try await reopen(session)
        } catch .signedOut {
            throw .flowExpired
        }
    }

    private func checkAnswers(
        _ answers: PageAnswers, _ flow: FlowRecord, _ definition: ClientDefinition
    ) throws(BFFError) {
        let problems: [AnswerProblem]
        do {
            problems = try definition.client.problems(in: answers, at: flow.position)
        } catch {
            throw .flowExpired
        }
        if !problems.isEmpty { throw .invalidAnswers(problems) }
    }

    /// Says in the store that the answer is on its way, before it is.
    ///
    /// - Returns: nil when somebody else changed the flow first.
    private func markSent(
        _ session: OpenedSession, _ flow: FlowRecord, _ work: StepWork
    ) async throws(BFFError) -> SentStep? {
        anonymous.remove(session.key)
        do {
            return try await edit(session) { fresh, edit throws(EditError) in
                let now = self.time.now()
                guard let current = fresh.flow(flow.id), current.phase == .ready, current.step == flow.step else {
                    throw .refused(.stepInProgress)
                }
                // Replaced since it was looked at: it answers nothing any more.
                guard fresh.claims.standing(at: now) == .current else { throw .refused(.sessionChanged) }
                var sent = current
                sent.phase = .sent(mac: work.mac, deadline: now + work.definition.timeout + .seconds(15))
                try edit.put(FlowRecord.field(flow.id), sent.encoded, expires: flow.ends + self.settings.keptAnswer)
                edit.delete(AnonymousSessions.marker)
                edit.expires = self.slideEnd(fresh, at: now)
                return SentStep(session: fresh, flow: sent)
            }
        } catch .stepInProgress {
            return nil
        } catch .signedOut {
            throw .flowExpired
        }
    }

    private func send(_ sent: SentStep, _ work: StepWork) async throws -> StepResult {
        let flow = sent.flow
        let sessionField = work.definition.sessionField(flow.instance.account)
        let who = caller(work.definition, sent.session.record(sessionField), work.context)
        let outcome = try await work.definition.client.next(work.answers, at: flow.position, who)
        return try await settle(sent, outcome, work)
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
