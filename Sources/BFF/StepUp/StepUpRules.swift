import Basics
import OpenIDConnect
import ResourceServer

/// The step-up loop (docs/step-up.md, 'The loop'): what `start` does with `for`, and what the end of the flow has to show.
struct StepUpRules: Sendable {
    private let requirements: Requirements

    init(_ requirements: Requirements) {
        self.requirements = requirements
    }

    /// Turns `for` into a start whose every value is the server's.
    ///
    /// - Returns: The request as it goes to the client, and what its end is judged by.
    /// - Throws: `.notAllowed` for a goal that is not this client's, `.signedOut` when nobody is signed in.
    func stepUp(
        _ request: StartRequest, _ call: InstanceCall, _ session: OpenedSession?
    ) throws(BFFError) -> (StartRequest, StepUpGoal?) {
        if let id = request.product.transaction { return try transaction(id, request, call, session) }
        guard let name = request.goal else {
            // The provider session alone would do for such a client without the user doing anything.
            var request = request
            // rule: a client with limits is signed in anew
            if call.client.isElevated { request.isForced = true }
            return (request, nil)
        }
        let user = session?.meta?.user(of: call.sessionField)
        // A challenge goes with the session: after a logout it is not wrong, but nobody is signed in.
        // rule: a challenge is of no use to a browser that is signed out
        if user == nil, StepUpChallenge.isID(name) { throw .signedOut }
        let held = session?.challenge(name)
        var requirement: Requirement?
        if name != Requirements.signedIn {
            requirement = requirements[held?.requirement ?? name]
            // rule: a step-up goes by its own client
            guard requirement?.stepUp == call.client.name else { throw .notAllowed(.for) }
        }
        guard let user else { throw .signedOut }
        var forced = StartRequest()
        forced.goal = name
        forced.isForced = true
        forced.acrValues = held.flatMap { $0.acrValues.isEmpty ? nil : $0.acrValues } ?? requirement?.acrValues ?? []
        if case .age(let age)? = requirement?.maxAge { forced.maxAge = age }
        forced.advice = held?.transaction?.advice
        let goal = StepUpGoal(
            purpose: requirement?.name ?? Requirements.signedIn,
            requirement: held == nil ? requirement?.name : nil, issuer: user.issuer, subject: user.subject,
            route: held?.route, transaction: held?.transaction)
        return (forced, goal)
    }

    /// A backchannel transaction, of which AM says only at its end whom it is for: it is run for the user who is signed in.
    private func transaction(
        _ id: String, _ request: StartRequest, _ call: InstanceCall, _ session: OpenedSession?
    ) throws(BFFError) -> (StartRequest, StepUpGoal) {
        guard let user = session?.meta?.user(of: call.sessionField) else { throw .signedOut }
        var forced = StartRequest()
        forced.product = request.product
        forced.isForced = true
        let goal = StepUpGoal(
            purpose: Requirements.signedIn, requirement: nil, issuer: user.issuer, subject: user.subject, route: nil,
            transaction: HeldTransaction(id: id, target: [], advice: ""))
        return (forced, goal)
    }

    /// Why a completed flow does not count; nil when it does.
    ///
    /// - Parameters:
    ///   - plan: What it ended with, and what it was started for.
    ///   - now: When it ended.
    /// - Returns: The first rule that it does not keep.
    func refusal(of plan: SignInPlan, at now: Timestamp) -> StepUpRefusal? {
        let tokens = plan.signIn.tokens
        if let goal = plan.goal {
            // rule: a step-up is by the same user
            guard goal.issuer.isSameText(as: tokens.issuer), goal.subject.isSameText(as: tokens.subject) else {
                return .accountMismatch
            }
            // rule: a transaction is decided by its own sign-in
            if goal.transaction != nil { return refusalOfTransaction(plan) }
            // rule: a step-up is a fresh authentication
            guard plan.isFresh(at: now) else { return .notReached }
        }
        for name in [plan.goal?.requirement, plan.client.minimum].compactMap({ $0 }) {
            // rule: a sign-in meets what its client and goal ask for
            guard requirements.meets(name, tokens) else { return .notReached }
        }
        return nil
    }

    /// A provider says yes to a failed transaction too, and only the API that asked for it knows.
    ///
    /// But a token that it gave for a new session and that its client does not take is one that nobody could use.
    private func refusalOfTransaction(_ plan: SignInPlan) -> StepUpRefusal {
        // rule: a transaction without a new session is undecided
        guard plan.signIn.sessionIsNew, let minimum = plan.client.minimum else { return .undecided }
        return requirements.meets(minimum, plan.signIn.tokens) ? .undecided : .notReached
    }
}

extension SignInPlan {
    /// Whether the user authenticated in this flow.
    ///
    /// Not before it began, as far as the provider's clock may be off, and later than the time before, by that same clock.
    /// Providers state whole seconds: in the second of the time before, the sign-in before has to be less than a second old
    /// by our clock, so that either of both is recent.
    func isFresh(at now: Timestamp) -> Bool {
        // rule: a fresh authentication is stated and not in the future
        guard let stated = authTimes.stated, stated <= now + client.leeway,
            // rule: a fresh authentication is no older than its flow
            stated.seconds >= (begun - client.leeway).seconds
        else { return false }
        guard let former = authTimes.former else { return true }
        // rule: a fresh authentication is later than the one before | true
        return stated > former || stated.seconds == former.seconds && followsAtOnce
    }
}

/// Why a completed flow does not count.
enum StepUpRefusal: Sendable {
    /// It ended with another user than before.
    case accountMismatch
    /// The token is not as strong, or the authentication not as fresh, as was asked.
    case notReached
    /// It was for a transaction; whether that is authorised the repeated call will show.
    case undecided
}

extension StepUpRefusal {
    /// What the SPA is told.
    var reason: FailureReason? {
        switch self {
        case .accountMismatch: .accountMismatch
        case .notReached: .stepUpNotReached
        case .undecided: nil
        }
    }
}

extension Requirement {
    /// The `acr_values` that a step-up asks for.
    fileprivate var acrValues: [String] { challengeACR.map { [$0] } ?? [] }
}
