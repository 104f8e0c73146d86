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
    let newSecret: [UInt8]?
    /// The cookie was replaced while the step was under way: the answer waits for the new one.
    let isSuperseded: Bool
    /// The answer came just now; a kept one may hand out a credential that was replaced since.
    let isFresh: Bool
    /// The wait of a page that was polled and goes on; nil for anything else.
    var wait: PollWait?

    init(_ answer: StepAnswer, newSecret: [UInt8]?, isSuperseded: Bool = false, isFresh: Bool = false) {
        self.answer = answer
        self.newSecret = newSecret
        self.isSuperseded = isSuperseded
        self.isFresh = isFresh
    }
}

/// What becomes of a step once the provider has answered, or whoever sent it has died.
final class StepOutcomes: Sendable {
    private let environment: Environment
    private let records: SessionRecords
    private let revocations: Revocations
    private let flows: Flows
    private let signIns: SignIns

    init(_ flows: Flows, _ signIns: SignIns) {
        environment = flows.environment
        records = flows.records
        revocations = flows.sessions.revocations
        self.flows = flows
        self.signIns = signIns
    }

    /// Writes what a step led to and keeps its answer for whoever asks again; `page` is the one that was answered.
    func settle(
        _ sent: SentStep, _ outcome: SignInOutcome, after page: any OpenedFlow
    ) async throws(BFFError) -> StepResult {
        do {
            return try await settled(sent, outcome, page)
        } catch .signedOut {
            // The session ended while the provider answered, and the flow with it.
            throw .flowExpired
        }
    }

    private func settled(
        _ sent: SentStep, _ outcome: SignInOutcome, _ page: any OpenedFlow
    ) async throws(BFFError) -> StepResult {
        let work = sent.work
        var flow = sent.flow
        switch outcome {
        case .page(let opened):
            if work.isPoll, let time = flow.waitOn(page, at: opened, environment.now()) {
                let isSuperseded = try await write(flow, sent)
                return flows.waiting(flow, opened, work.call.client, until: time, isSuperseded: isSuperseded)
            }
            flow.advance(to: opened, environment.now(), refusal: nil)
            // Asking again is how a provider refuses what was typed; who typed nothing, as while a page is polled, is waiting.
            // Pages are compared last: it takes longest.
            if !work.answers.values.isEmpty, !work.call.client.flows.boundsAnswers, page.showsSame(as: opened),
                endsGuessing(&flow, sent, page)
            {
                return try await keep(.tooManyRefusals, flow, sent)
            }
            return try await keep(.page(at: environment.now()), flow, sent, opened)
        case .refused(let opened, let message, let details):
            flow.advance(
                to: opened, environment.now(), refusal: FlowRecord.Refusal(message, details, [page, opened], work))
            // Who comes back from another site without a sign-in has guessed nothing.
            if work.answers.returned == nil, endsGuessing(&flow, sent, page) {
                return try await keep(.tooManyRefusals, flow, sent)
            }
            return try await keep(.page(at: environment.now()), flow, sent, opened)
        case .failure(let failure, let orphan):
            let before = sent.session.record(work.call.sessionField)
            let lost = await records.keep(failure.renewedSession, of: before, work.call, sent.session)
            let ended = lost + (orphan.map { [.session($0, work.call.client.name)] } ?? [])
            await revocations.revokeAfterwards(ended, work.call.context)
            if failure.lacksTokensAlone, let raised = flow.goal?.answeredTransaction(work.call, at: environment.now()) {
                var facts = sent.facts
                facts.person = flow.goal?.person
                facts.more = flow.goal?.auditMembers ?? [:]
                environment.audit.write(.stepUp(.answered), work.call.context, facts)
                try await raise(raised, sent)
                flow.end()
                return try await keep(.success(nil), flow, sent)
            }
            environment.tell(failure, flow.goal, sent.facts, work.call.context)
            flow.end()
            // Somebody who is signed in can be asked for more; a step-up that did not reach it is not offered again.
            // rule: a sign-in that is too weak is offered more
            if flow.goal == nil, failure.reason == .tooWeak,
                sent.session.meta?.user(of: work.call.sessionField) != nil
            {
                return try await keep(.stepUpRequired, flow, sent)
            }
            let secrets = FlowSecrets(page.secrets + work.brought)
            let message = failure.message.map { secrets.shown($0) }
            return try await keep(
                .failure(
                    reason: failure.reason.rawValue, message: message, more: secrets.shown(failure.more).encoded), flow,
                sent)
        case .successWithoutSession:
            flow.end()
            return try await keep(.success(nil), flow, sent)
        case .success(let signIn):
            return try await settle(sent, signIn)
        case .notTaken(let wait, let cause):
            if let cause { environment.warn(ofUnsent: cause, work.call) }
            flow.phase = .ready
            // The provider may have told the status of a challenge, and not have heard what becomes of it.
            if work.isPoll, work.call.client.flows.kind == .davinci { flow.waitAgain(on: page, environment.now()) }
            try await write(flow, sent)
            throw .providerUnavailable(retryAfter: wait)
        }
    }

    /// Counts refused answers; a flow that had too many is over, and somebody is told.
    private func endsGuessing(_ flow: inout FlowRecord, _ sent: SentStep, _ page: any OpenedFlow) -> Bool {
        guard !sent.work.call.client.flows.boundsAnswers else { return false }
        flow.refusals += 1
        // rule: guessing goes on up to its bound
        guard flow.refusals > environment.settings.refusals else { return false }
        flow.end()
        let context = sent.work.call.context
        environment.tell(FlowFailure(reason: .tooManyRefusals), flow.goal, sent.facts, context)
        var facts = sent.facts
        facts.name = page.userNames(in: sent.work.answers).first
        environment.audit.write(.guessing(.flowEnded), context, facts)
        return true
    }

    private func settle(_ sent: SentStep, _ signIn: SignIn) async throws(BFFError) -> StepResult {
        let began = ContinuousClock.now
        do throws(BFFError) {
            let completed = try await signIns.finish(SignInPlan(signIn, sent), sent.session)
            guard let kept = completed.kept else { throw .flowExpired }
            // A repeated request may have had the same answer while the store kept this one waiting.
            let isFresh = ContinuousClock.now - began < environment.settings.freshCookie
            return StepResult(
                .node(completed.node), newSecret: kept.newSecret, isSuperseded: completed.isSuperseded,
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

    /// Notes what the end of a flow means for the route whose API asked for it.
    private func raise(_ raised: RaisedRoute, _ sent: SentStep) async throws(BFFError) {
        try await records.edit(sent.session) { fresh, edit throws(EditError) in
            guard sent.isUnderWay(in: fresh) else { throw .refused(.flowExpired) }
            try edit.put(StepUpAttempts.field, fresh.stepUpAttempts.raising(raised).encoded)
        }
    }

    /// Ends a flow whose sender died: it may have reached the provider, so it is never sent again.
    ///
    /// - Returns: nil when the sender was only late, and the flow went on.
    func settleUnknown(_ sent: SentStep) async throws(BFFError) -> StepResult? {
        var ended = sent.flow
        ended.end()
        do {
            let result = try await keep(.outcomeUnknown, ended, sent)
            environment.tell(FlowFailure(reason: .outcomeUnknown), ended.goal, sent.facts, sent.work.call.context)
            return result
        } catch .flowExpired {
            return nil
        }
    }

    /// Ends a flow with an answer that does not depend on what the provider said.
    private func keepEnd(_ outcome: FlowRecord.KeptAnswer.Outcome, _ sent: SentStep) async throws(BFFError) {
        var flow = sent.flow
        flow.end()
        do {
            _ = try await keep(outcome, flow, sent)
        } catch .flowExpired {
            // Cancelled meanwhile: there is nothing to end.
        }
    }

    /// Writes the flow with the answer to its step; `opened` is the flow at its page, where it has one.
    private func keep(
        _ outcome: FlowRecord.KeptAnswer.Outcome, _ flow: FlowRecord, _ sent: SentStep,
        _ opened: (any OpenedFlow)? = nil
    ) async throws(BFFError) -> StepResult {
        var flow = flow
        let kept = FlowRecord.KeptAnswer(
            step: sent.work.step, mac: sent.work.mac, outcome: outcome,
            until: environment.now() + environment.settings.keptAnswer)
        flow.kept = kept
        let answer = try flows.answer(kept, of: flow, sent.work.call.client, opened)
        let isSuperseded = try await write(flow, sent)
        return StepResult(answer, newSecret: nil, isSuperseded: isSuperseded, isFresh: true)
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
    init(_ message: String, _ details: [JSONValue], _ flows: [any OpenedFlow] = [], _ work: StepWork? = nil) {
        let secrets = FlowSecrets(flows.flatMap(\.secrets) + (work?.brought ?? []))
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
