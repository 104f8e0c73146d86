import Basics
import JSON
import StorageKit

/// What becomes of a step once the provider has answered, or whoever sent it has died.
extension Backend {
    /// Writes what a step led to and keeps its answer for whoever asks again.
    func settle(_ sent: SentStep, _ outcome: SignInOutcome, _ work: StepWork) async throws(BFFError) -> StepResult {
        do {
            return try await settled(sent, outcome, work)
        } catch .signedOut {
            // The session ended while the provider answered, and the flow with it.
            throw .flowExpired
        }
    }

    private func settled(
        _ sent: SentStep, _ outcome: SignInOutcome, _ work: StepWork
    ) async throws(BFFError) -> StepResult {
        var flow = sent.flow
        let kind = work.definition.client.kind
        switch outcome {
        case .page(let position):
            flow.advance(to: position, refusal: nil)
            return try await keep(.node(try render(flow, work.definition)), flow, sent, work)
        case .refused(let position, let message, let details):
            flow.advance(to: position, refusal: FlowRecord.Refusal(message, details))
            return try await keep(.node(try render(flow, work.definition)), flow, sent, work)
        case .failure(let failure, let orphan):
            if let orphan { await undo([.session(orphan, work.definition.name)], work.context) }
            audit(work.context, failure, flow.instance)
            flow.end()
            return try await keep(.node(NodeDocument.failure(flow.id, kind, failure)), flow, sent, work)
        case .successWithoutSession:
            flow.end()
            return try await keep(.node(NodeDocument.success(flow.id, kind, user: nil)), flow, sent, work)
        case .success(let signIn):
            return try await settle(sent, signIn, work)
        case .notTaken(let wait):
            flow.phase = .ready
            try await write(flow, sent)
            throw .providerUnavailable(retryAfter: wait)
        }
    }

    private func settle(_ sent: SentStep, _ signIn: SignIn, _ work: StepWork) async throws(BFFError) -> StepResult {
        let flow = sent.flow
        let answered = AnsweredStep(flow: flow, step: work.step, mac: work.mac)
        do throws(BFFError) {
            let plan = SignInPlan(
                signIn: signIn, instance: flow.instance, definition: work.definition, replace: flow.replace,
                goal: flow.goal, begun: flow.started, answered: answered, session: sent.session)
            let completed = try await finishSignIn(plan, sent.session, work.context)
            guard let kept = completed.kept else { throw .flowExpired }
            return StepResult(kept: kept, isSuperseded: completed.isSuperseded, isFresh: true)
        } catch .subjectChanged {
            audit(work.context, "Sign-in refused", flow.instance, ["reason": "subject-changed"])
            try await keepEnd(.subjectChanged, sent, work)
            throw .subjectChanged
        } catch .sessionChanged {
            audit(work.context, "Sign-in refused", flow.instance, ["reason": "session-changed"])
            let node = NodeDocument.failure(flow.id, work.definition.client.kind, .outcomeUnknown)
            try await keepEnd(.node(node), sent, work)
            throw .sessionChanged
        }
    }

    /// Ends a flow whose sender died: it may have reached the provider, so it is never sent again.
    ///
    /// - Returns: nil when the sender was only late, and the flow went on.
    func settleUnknown(
        _ session: OpenedSession, _ flow: FlowRecord, _ work: StepWork
    ) async throws(BFFError) -> StepResult? {
        var ended = flow
        ended.end()
        let node = NodeDocument.failure(flow.id, work.definition.client.kind, .outcomeUnknown)
        do {
            let result = try await keep(.node(node), ended, SentStep(session: session, flow: flow), work)
            audit(work.context, "Sign-in failed", flow.instance, ["reason": FlowFailure.outcomeUnknown.reason])
            return result
        } catch .flowExpired {
            return nil
        }
    }

    /// Ends a flow with an answer that does not depend on what the provider said.
    private func keepEnd(
        _ outcome: FlowRecord.KeptAnswer.Outcome, _ sent: SentStep, _ work: StepWork
    ) async throws(BFFError) {
        var flow = sent.flow
        flow.end()
        do {
            _ = try await keep(outcome, flow, sent, work)
        } catch .flowExpired {
            // Cancelled meanwhile: there is nothing to end.
        }
    }

    private func keep(
        _ outcome: FlowRecord.KeptAnswer.Outcome, _ flow: FlowRecord, _ sent: SentStep, _ work: StepWork
    ) async throws(BFFError) -> StepResult {
        var flow = flow
        let kept = FlowRecord.KeptAnswer(
            step: work.step, mac: work.mac, outcome: outcome, until: time.now() + settings.keptAnswer)
        flow.kept = kept
        let isSuperseded = try await write(flow, sent)
        return StepResult(kept: kept, isSuperseded: isSuperseded, isFresh: true)
    }

    /// Writes a flow in the place of the one that was on its way.
    ///
    /// - Returns: Whether the cookie was replaced meanwhile.
    /// - Throws: `.flowExpired` when it was cancelled, logged out, thrown out by newer flows, or given up by another
    ///   process.
    @discardableResult
    private func write(_ flow: FlowRecord, _ sent: SentStep) async throws(BFFError) -> Bool {
        try await edit(sent.session) { fresh, edit throws(EditError) in
            guard let current = fresh.flow(flow.id), current.step == sent.flow.step, current.phase == sent.flow.phase
            else { throw .refused(.flowExpired) }
            let now = self.time.now()
            let isOver = flow.phase == .ended
            // What is left of a flow that is over is its answer.
            let end = isOver ? now : flow.ends
            try edit.put(FlowRecord.field(flow.id), flow.encoded, expires: end + self.settings.keptAnswer)
            if isOver, var meta = fresh.meta {
                meta.flows.removeAll { $0.id == flow.id }
                try edit.put(MetaRecord.field, meta.encoded)
            }
            return fresh.claims.standing(at: now) != .current
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

extension FlowRecord.Refusal {
    init(_ message: String, _ details: [JSONValue]) {
        self.init(message: message, details: JSONValue.array(details).serialized())
    }
}

extension FlowFailure {
    /// Whoever sent the step died; nobody knows what the provider did with it.
    static let outcomeUnknown = FlowFailure(reason: "outcome-unknown")
}
