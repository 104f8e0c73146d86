import Basics

/// What becomes of the outcome of a start or a step: every kind of outcome, decided in one function.
///
/// `FlowStart` carries it out with a new flow, `StepOutcomes` with the flow whose step was answered.
enum OutcomeDecision: Sendable {
    /// The page that was polled stays, for the pace at least.
    case wait(any OpenedFlow, pace: Duration)
    /// A page is shown, with the provider's words on the last answers; a guess counts towards the end of the flow.
    case show(any OpenedFlow, FlowRecord.Refusal?, isGuess: Bool)
    /// The flow ends without a sign-in.
    case end(FlowEnd)
    /// The provider signed the user in; `SignIns` stores or refuses that.
    case finish(SignIn)
    /// The provider took nothing: the same step can be sent again.
    case retry(after: Duration, cause: FlowFailure?)
}

/// The end of a flow without a sign-in.
struct FlowEnd: Sendable, Equatable {
    /// The answer to the browser, kept for a repeated request.
    let answer: FlowRecord.KeptAnswer.Outcome
    /// The failure for log and audit, and the provider session that it renewed; nil for an end without a line.
    var failure: FlowFailure?
    /// The note for the route of a transaction that ended without tokens; then the audit says that instead of the failure.
    var raised: RaisedRoute?
    /// The names that were typed last where too many answers were refused; nil for another end.
    var guessed: [String]?
    /// A provider session that came into being all the same, to be ended.
    var orphan: [UInt8]?
}

/// What an outcome is decided by besides itself.
struct OutcomeContext {
    /// What the flow was started for, when it was a step-up.
    var goal: StepUpGoal?
    let account: String
    /// The page that was answered; nil at a start.
    var page: (any OpenedFlow)?
    var answers = PageAnswers()
    var isPoll = false
    /// Answers that may be refused before the one that ends the flow; nil where the provider has a bound of its own.
    var guessesLeft: Int?
    /// True if a user is signed in with the provider session of the instance; reads a record.
    let isSignedIn: () -> Bool

    /// Decides on an outcome that came at a time.
    func decide(_ outcome: SignInOutcome, at now: Timestamp) -> OutcomeDecision {
        switch outcome {
        case .page(let opened):
            if isPoll, case .poll(_, let pace) = opened.wait, page?.waitsOn(at: opened) ?? false {
                return .wait(opened, pace: pace)
            }
            // A provider refuses what was typed by asking again; a step without answers, as a poll, waits.
            // Pages are compared last: it takes longest.
            let isGuess = guessesLeft != nil && !answers.values.isEmpty && page?.showsSame(as: opened) ?? false
            return show(opened, nil, isGuess: isGuess)
        case .refused(let opened, let message, let details):
            let refusal = FlowRecord.Refusal(message, details, secrets: secrets(opened))
            // A return from another site without a sign-in guesses nothing.
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
        // A signed-in user can be asked for more; a step-up that did not reach it is not offered again.
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

    /// What must not be shown: what the pages go on by, and what another site has brought back to go on with.
    private func secrets(_ opened: (any OpenedFlow)? = nil) -> FlowSecrets {
        // rule: a text with what another site brought back is not shown | []
        let brought = (answers.returned ?? [:]).filter { !$0.key.hasPrefix("error") }.map(\.value)
        return FlowSecrets((page?.secrets ?? []) + (opened?.secrets ?? []) + brought)
    }
}
