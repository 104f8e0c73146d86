import Basics
import JSON
import StorageKit

/// The answer to a step.
enum StepAnswer: Sendable {
    case node(FlowNode)
    case subjectChanged
    case unconfirmed(SubjectQuestion)
    case stepUpRequired
}

/// What a step led to, as everyone who asked for it gets it.
struct StepResult: Sendable {
    let answer: StepAnswer
    /// The credential that the answer hands out.
    var newSecret: [UInt8]?
    /// The cookie was replaced while the step was under way: the answer waits for the new one.
    var isSuperseded = false
    /// The answer came just now; a kept one may hand out a credential that was replaced since.
    var isFresh = false
    /// The wait of a page that was polled and goes on; nil for anything else.
    var wait: PollWait?
}

/// What becomes of a step once the provider has answered, or whoever sent it has died.
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
    /// `page` is the one that was answered.
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
                return try await keep(.page(at: environment.now()), flow, sent, opened)
            case .end(let end): return try await finish(end, sent)
            case .finish(let signIn): return try await finish(signIn, sent)
            case .retry(let wait, let cause):
                let work = sent.work
                if let cause { environment.warn(ofUnsent: cause, work.call) }
                flow.phase = .ready
                // The provider may have told the status of a challenge, and not have heard what becomes of it.
                if work.isPoll, work.call.client.flows.kind == .davinci { flow.waitAgain(on: page, environment.now()) }
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

    /// Writes an end without a sign-in; first the note for the route whose API asked for the flow.
    private func finish(_ end: FlowEnd, _ sent: SentStep) async throws(BFFError) -> StepResult {
        await flows.carryOut(end, sent.flow.goal, sent.facts, sent.work.call, sent.session)
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
            // A repeated request may have had the same answer while the store kept this one waiting.
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
    /// - Returns: nil when something else has changed the flow first.
    func confirm(
        _ work: StepWork, _ session: OpenedSession, _ stored: StoredFlow, _ asked: UnconfirmedSignIn
    ) async throws(BFFError) -> StepResult? {
        // rule: nothing but a confirmation answers the question for one
        guard work.answers.confirms else {
            guard let question = stored.record.confirmation(at: environment.now()) else { throw .flowExpired }
            throw .confirmationNeeded(question)
        }
        return try await signIns.confirm(SentStep(work: work, session: session, written: stored), asked)
    }

    /// Ends a flow whose sender died: it may have reached the provider, so it is never sent again.
    ///
    /// - Returns: nil when the sender was only late, and the flow went on.
    func settleUnknown(_ sent: SentStep) async throws(BFFError) -> StepResult? {
        guard let result = try await keepEnd(.outcomeUnknown, sent) else { return nil }
        environment.tell(FlowFailure(reason: .outcomeUnknown), sent.flow.goal, sent.facts, sent.work.call.context)
        return result
    }

    /// Ends a flow with an answer.
    ///
    /// - Returns: nil when the flow was cancelled meanwhile, or went on.
    @discardableResult
    private func keepEnd(
        _ outcome: FlowRecord.KeptAnswer.Outcome, _ sent: SentStep
    ) async throws(BFFError) -> StepResult? {
        var flow = sent.flow
        flow.end()
        do {
            return try await keep(outcome, flow, sent)
        } catch .flowExpired {
            return nil
        }
    }

    /// Writes the flow with the answer to its step; `opened` is the flow at its page, where it has one.
    private func keep(
        _ outcome: FlowRecord.KeptAnswer.Outcome, _ flow: FlowRecord, _ sent: SentStep,
        _ opened: (any OpenedFlow)? = nil
    ) async throws(BFFError) -> StepResult {
        var flow = flow
        flow.kept = sent.kept(outcome, until: environment.now() + environment.settings.keptAnswer)
        let answer = try flows.answer(outcome, of: flow, sent.work.call.client, opened)
        let isSuperseded = try await write(flow, sent)
        return StepResult(answer: answer, isSuperseded: isSuperseded, isFresh: true)
    }

    /// Writes a flow in the place of the one that was on its way.
    ///
    /// - Returns: Whether the cookie was replaced meanwhile.
    /// - Throws: `.flowExpired` when it was cancelled, logged out, thrown out by newer flows, or given up by another
    ///   process.
    @discardableResult
    private func write(_ flow: FlowRecord, _ sent: SentStep) async throws(BFFError) -> Bool {
        try await records.edit(sent.session) { fresh, edit throws(EditError) in
            guard sent.isUnderWay(in: fresh) else { throw .refused(.flowExpired) }
            let now = self.environment.now()
            let isOver = flow.phase == .ended
            // What is left of a flow that is over is its answer.
            let end = isOver ? now : flow.ends
            try edit.put(flow, expires: end + self.environment.settings.keptAnswer)
            let bytes = flow.estimatedByteCount
            if isOver || bytes + fresh.flowBytes > self.environment.settings.flowBytes, var meta = fresh.meta {
                if isOver { meta.flows.removeAll { $0.id == flow.id } }
                self.flows.makeRoom(for: flow, bytes, fresh, &meta, &edit)
                try edit.put(MetaRecord.field, meta.encoded)
            }
            return fresh.claims.status(at: now) != .current
        }
    }
}

extension FlowRecord {
    /// Goes on to the next step.
    fileprivate mutating func advance(to opened: any OpenedFlow, _ now: Timestamp, refusal: Refusal?) {
        step += 1
        phase = .ready
        stand(at: opened, now)
        self.refusal = refusal
    }

    /// Is over; its secrets go.
    mutating func end() {
        phase = .ended
        position = []
        awaits = .answers
        refusal = nil
        unconfirmed = nil
    }
}

extension FlowRecord.Refusal {
    /// The provider's words, without what keeps one of the flows going.
    init(_ message: String, _ details: [JSONValue], secrets: FlowSecrets = FlowSecrets([])) {
        self.init(message: secrets.shown(message), details: secrets.shown(JSONValue.array(details)).serialized())
    }

    /// As it is shown.
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
