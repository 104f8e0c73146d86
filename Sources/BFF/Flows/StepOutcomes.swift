import Basics
import JSON
import Sessions
import StorageKit

/// The answer to a step.
enum StepAnswer: Sendable {
    case node(FlowNode)
    case subjectChanged
    case unconfirmed(SubjectQuestion)
    case stepUpRequired
}

/// The result of a step, for every request that shares it.
struct StepResult: Sendable {
    let answer: StepAnswer
    /// The credential that the answer hands out.
    var newSecret: [UInt8]?
    /// True if the cookie was replaced while the step was in flight: the answer waits for the new cookie.
    var isSuperseded = false
    /// True if the answer came just now; a kept answer may hand out a credential that was replaced since.
    var isFresh = false
    /// The wait that goes on after a poll; nil for any other result.
    var wait: PollWait?
}

/// Stores the outcome of a step once the provider has answered, or once the sender of the step has died.
final class StepOutcomes: Sendable {
    private let environment: Environment
    private let records: SessionRecords
    private let flows: Flows
    private let signIns: SignIns

    init(_ flows: Flows, _ signIns: SignIns) {
        environment = flows.environment
        records = flows.records
        self.flows = flows
        self.signIns = signIns
    }

    /// Carries out the decision on an outcome and keeps its answer for a repeated request.
    ///
    /// `page` is the page that was answered.
    func settle(
        _ sent: SentStep, _ outcome: SignInOutcome, after page: any OpenedFlow
    ) async throws(BFFError) -> StepResult {
        var flow = sent.flow
        do throws(BFFError) {
            switch context(sent, page).decide(outcome, at: environment.now()) {
            case .wait(let opened, let pace):
                let time = flow.waitOn(at: opened, pace, environment.now())
                let isSuperseded = try await write(flow, sent)
                return flows.waiting(flow, opened, sent.work.call.client, until: time, isSuperseded: isSuperseded)
            case .show(let opened, let refusal, let isGuess):
                flow.advance(to: opened, environment.now(), refusal: refusal)
                if isGuess { flow.refusals += 1 }
                return try await keep(.page(at: environment.now()), of: flow, sent, opened: opened)
            case .end(let end): return try await finish(end, sent)
            case .finish(let signIn): return try await finish(signIn, sent)
            case .retry(let wait, let cause):
                let work = sent.work
                if let cause { environment.warn(ofUnsent: cause, work.call) }
                flow.phase = .ready
                if work.isPoll, work.call.client.flows.pausesAfterUnsentPoll {
                    flow.waitAgain(on: page, environment.now())
                }
                try await write(flow, sent)
                throw .providerUnavailable(retryAfter: wait)
            }
        } catch .signedOut {
            // The session ended while the provider answered, and the flow with it.
            throw .flowExpired
        }
    }

    private func context(_ sent: SentStep, _ page: any OpenedFlow) -> OutcomeContext {
        let (work, call) = (sent.work, sent.work.call)
        return OutcomeContext(
            goal: sent.flow.goal, account: call.instance.account, page: page, answers: work.answers,
            isPoll: work.isPoll,
            guessesLeft: call.client.flows.boundsAnswers ? nil : environment.settings.refusals - sent.flow.refusals
        ) { sent.session.meta?.user(of: call.sessionField) != nil }
    }

    /// Writes an end without a sign-in, after the note for the route whose API asked for the flow.
    private func finish(_ end: FlowEnd, _ sent: SentStep) async throws(BFFError) -> StepResult {
        await flows.carryOut(end, goal: sent.flow.goal, facts: sent.facts, sent.work.call, in: sent.session)
        if let raised = end.raised {
            try await records.edit(sent.session) { fresh, edit throws(EditError) in
                guard sent.isUnderWay(in: fresh) else { throw .refused(.flowExpired) }
                try edit.put(StepUpAttempts.field, fresh.stepUpAttempts.raising(raised).encoded)
            }
        }
        guard let result = try await keepEnd(end.answer, sent) else { throw .flowExpired }
        return result
    }

    private func finish(_ signIn: SignIn, _ sent: SentStep) async throws(BFFError) -> StepResult {
        let began = ContinuousClock.now
        do throws(BFFError) {
            let completed = try await signIns.finish(SignInPlan(signIn, sent), sent.session)
            guard let kept = completed.kept else { throw .flowExpired }
            // A repeated request may have got this answer while the store delayed this request.
            let isFresh = ContinuousClock.now - began < environment.settings.freshCookie
            return StepResult(
                answer: .node(completed.node), newSecret: kept.newSecret, isSuperseded: completed.isSuperseded,
                isFresh: isFresh)
        } catch .subjectChanged {
            try await keepEnd(.subjectChanged, sent)
            throw .subjectChanged
        } catch .sessionChanged {
            try await keepEnd(.outcomeUnknown, sent)
            throw .sessionChanged
        }
    }

    /// Takes the confirmation of the sign-in that waits in a flow.
    ///
    /// - Returns: nil if another request changed the flow first.
    func confirm(
        _ work: StepWork, _ session: OpenedSession, stored: StoredFlow, asked: UnconfirmedSignIn
    ) async throws(BFFError) -> StepResult? {
        // rule: nothing but a confirmation answers the question for one
        guard work.answers.confirms else {
            guard let question = stored.record.confirmation(at: environment.now()) else { throw .flowExpired }
            throw .confirmationNeeded(question)
        }
        return try await signIns.confirm(SentStep(work: work, session: session, written: stored), asked)
    }

    /// Ends a flow whose sender died; the step may have reached the provider, so it is never sent again.
    ///
    /// - Returns: nil if the sender was only late, and the flow went on.
    func settleUnknown(_ sent: SentStep) async throws(BFFError) -> StepResult? {
        guard let result = try await keepEnd(.outcomeUnknown, sent) else { return nil }
        environment.tell(
            FlowFailure(reason: .outcomeUnknown), goal: sent.flow.goal, facts: sent.facts, sent.work.call.context)
        return result
    }

    /// Ends a flow, and keeps the answer to its step.
    ///
    /// - Returns: nil if the flow was cancelled meanwhile, or went on.
    @discardableResult
    private func keepEnd(
        _ outcome: FlowRecord.KeptAnswer.Outcome, _ sent: SentStep
    ) async throws(BFFError) -> StepResult? {
        var flow = sent.flow
        flow.end()
        do {
            return try await keep(outcome, of: flow, sent)
        } catch .flowExpired {
            return nil
        }
    }

    /// Writes the flow with the answer to its step.
    ///
    /// `opened` is the flow at its page, if it has one.
    private func keep(
        _ outcome: FlowRecord.KeptAnswer.Outcome, of flow: FlowRecord, _ sent: SentStep,
        opened: (any OpenedFlow)? = nil
    ) async throws(BFFError) -> StepResult {
        var flow = flow
        flow.kept = sent.kept(outcome, until: environment.now() + environment.settings.keptAnswer)
        let answer = try flows.answer(outcome, of: flow, sent.work.call.client, opened)
        let isSuperseded = try await write(flow, sent)
        return StepResult(answer: answer, isSuperseded: isSuperseded, isFresh: true)
    }

    /// Writes a flow in place of the flow whose step was in flight.
    ///
    /// - Returns: True if the cookie was replaced meanwhile.
    /// - Throws: `.flowExpired` when the flow was cancelled, logged out, dropped for newer flows, or given up by
    ///   another process.
    @discardableResult
    private func write(_ flow: FlowRecord, _ sent: SentStep) async throws(BFFError) -> Bool {
        try await records.edit(sent.session) { fresh, edit throws(EditError) in
            guard sent.isUnderWay(in: fresh) else { throw .refused(.flowExpired) }
            let now = self.environment.now()
            let isOver = flow.phase == .ended
            // Of a flow that is over, only the answer is left.
            let end = isOver ? now : flow.ends
            try edit.put(flow, expires: end + self.environment.settings.keptAnswer)
            let bytes = flow.estimatedByteCount
            if isOver || bytes + fresh.flowBytes > self.environment.settings.flowBytes, var meta = fresh.meta {
                if isOver { meta.flows.removeAll { $0.id == flow.id } }
                self.flows.makeRoom(for: flow, bytes: bytes, fresh, meta: &meta, edit: &edit)
                try edit.put(MetaRecord.field, meta.encoded)
            }
            return fresh.claims.status(at: now) != .current
        }
    }
}

extension FlowRecord {
    /// Moves on to the next step, at a page.
    fileprivate mutating func advance(to opened: any OpenedFlow, _ now: Timestamp, refusal: Refusal?) {
        step += 1
        phase = .ready
        stand(at: opened, now)
        self.refusal = refusal
    }

    /// Ends the flow and deletes its secrets.
    mutating func end() {
        phase = .ended
        position = []
        awaits = .answers
        refusal = nil
        unconfirmed = nil
    }
}

extension FlowRecord.Refusal {
    /// Takes the provider's words, without the secrets of the flow.
    init(_ message: String, _ details: [JSONValue], secrets: FlowSecrets = FlowSecrets([])) {
        self.init(message: secrets.shown(message), details: secrets.shown(JSONValue.array(details)).serialized())
    }

    /// The refusal in the form that the browser sees.
    var words: FlowNode.Refusal {
        FlowNode.Refusal(message: message, details: (try? JSONValue(parsing: details))?.array ?? [])
    }
}

extension FlowRecord.KeptAnswer.Outcome {
    static let outcomeUnknown = Self.failure(reason: FailureReason.outcomeUnknown.rawValue, message: nil)
    static let tooManyRefusals = Self.failure(reason: FailureReason.tooManyRefusals.rawValue, message: nil)
}

extension FlowNode.State {
    static let outcomeUnknown = Self.failure(reason: FailureReason.outcomeUnknown.rawValue, message: nil)
}
