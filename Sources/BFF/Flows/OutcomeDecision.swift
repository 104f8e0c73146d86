import Basics

/// The decision on the outcome of a start or a step: every kind of outcome, decided in one function.
///
/// `FlowStart` carries out the decision for a new flow, `StepOutcomes` for the flow whose step was answered.
enum OutcomeDecision: Sendable {
    /// The polled page stays; the next poll comes after the pace at the earliest.
    case wait(any OpenedFlow, pace: Duration)
    /// A page is shown, with the provider's words on the last answers; a guess counts towards the end of the flow.
    case show(any OpenedFlow, FlowRecord.Refusal?, isGuess: Bool)
    /// The flow ends without a sign-in.
    case end(FlowEnd)
    /// The provider signed the user in; `SignIns` stores or refuses the sign-in.
    case finish(SignIn)
    /// The provider took nothing: the same step can be sent again after this time.
    case retry(after: Duration, cause: FlowFailure?)
}

/// The end of a flow without a sign-in.
struct FlowEnd: Sendable, Equatable {
    /// The answer to the browser, kept for a repeated request.
    let answer: FlowRecord.KeptAnswer.Outcome
    /// The failure for log and audit, with the provider session that the flow renewed; nil for an end that writes no
    /// line.
    var failure: FlowFailure?
    /// The note for the route whose transaction ended without tokens; the audit then says so, in place of the failure.
    var raised: RaisedRoute?
    /// The user names of the last answers, where too many answers were refused; nil for another end.
    var guessed: [String]?
    /// A provider session that the flow created although it failed, and that has to be ended.
    var orphan: [UInt8]?
}

/// The context in which an outcome is decided: the flow's goal, its page and the answers.
struct OutcomeContext {
    /// The goal of a step-up; nil for any other flow.
    var goal: StepUpGoal?
    let account: String
    /// The page that was answered; nil at a start.
    var page: (any OpenedFlow)?
    var answers = PageAnswers()
    var isPoll = false
    /// The refusals left before the next one ends the flow; nil if the provider has a bound of its own.
    var guessesLeft: Int?
    /// True if a user is signed in with the provider session of the instance; a function, because it reads a record.
    let isSignedIn: () -> Bool

    /// Decides on an outcome at a time.
    func decide(_ outcome: SignInOutcome, at now: Timestamp) -> OutcomeDecision {
        switch outcome {
        case .page(let opened):
            if isPoll, case .poll(_, let pace) = opened.wait, page?.waitsOn(at: opened) ?? false {
                return .wait(opened, pace: pace)
            }
            // A provider refuses values by asking for them again; a step without values, such as a poll, only waits.
            // Pages are compared last, because comparing takes longest.
            let isGuess = guessesLeft != nil && !answers.values.isEmpty && page?.showsSame(as: opened) ?? false
            return show(opened, nil, isGuess: isGuess)
        case .refused(let opened, let message, let details):
            let refusal = FlowRecord.Refusal(message, details, secrets: secrets(opened))
            // A return from another site without a sign-in is no guess.
            return show(opened, refusal, isGuess: guessesLeft != nil && answers.returned == nil)
        case .failure(let failure, let orphan): return .end(end(failure, orphan, at: now))
        case .success(let signIn): return .finish(signIn)
        case .successWithoutSession: return .end(FlowEnd(answer: .success(nil)))
        case .notTaken(let wait, let cause): return .retry(after: wait, cause: cause)
        }
    }

    private func show(_ opened: any OpenedFlow, _ refusal: FlowRecord.Refusal?, isGuess: Bool) -> OutcomeDecision {
        guard isGuess, let left = guessesLeft,
            // rule: guessing goes on up to its bound
            left <= 0
        else { return .show(opened, refusal, isGuess: isGuess) }
        return .end(
            FlowEnd(
                answer: .tooManyRefusals, failure: FlowFailure(reason: .tooManyRefusals),
                guessed: page?.userNames(in: answers) ?? []))
    }

    private func end(_ failure: FlowFailure, _ orphan: [UInt8]?, at now: Timestamp) -> FlowEnd {
        if failure.lacksTokensAlone, let raised = goal?.answeredTransaction(account: account, at: now) {
            return FlowEnd(answer: .success(nil), failure: failure, raised: raised, orphan: orphan)
        }
        // A signed-in user can be asked for more; a step-up that missed its goal is not offered again.
        // rule: a sign-in that is too weak is offered more
        if goal == nil, failure.reason == .tooWeak, isSignedIn() {
            return FlowEnd(answer: .stepUpRequired, failure: failure, orphan: orphan)
        }
        let secrets = secrets()
        let answer = FlowRecord.KeptAnswer.Outcome.failure(
            reason: failure.reason.rawValue, message: failure.message.map { secrets.shown($0) },
            more: secrets.shown(failure.more).encoded)
        return FlowEnd(answer: answer, failure: failure, orphan: orphan)
    }

    /// The texts that must not be shown: the secrets of both pages, and the values that another site brought back.
    private func secrets(_ opened: (any OpenedFlow)? = nil) -> FlowSecrets {
        // rule: a text with what another site brought back is not shown | []
        let brought = (answers.returned ?? [:]).filter { !$0.key.hasPrefix("error") }.map(\.value)
        return FlowSecrets((page?.secrets ?? []) + (opened?.secrets ?? []) + brought)
    }
}
