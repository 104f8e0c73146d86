import Basics
import OpenIDConnect
import ResourceServer
import Sessions

/// The rules of the step-up loop (docs/step-up.md, 'The loop'): what `start` does with `for`, and when a flow counts.
struct StepUpRules: Sendable {
    private let requirements: Requirements

    init(_ requirements: Requirements) {
        self.requirements = requirements
    }

    /// Turns `for` into a start whose every value comes from the server.
    ///
    /// - Returns: The request for the client, and the goal that the end of the flow is checked against.
    /// - Throws: `.notAllowed` for a goal of another client, `.signedOut` when no user is signed in.
    func stepUp(
        _ request: StartRequest, _ call: InstanceCall, _ session: OpenedSession?
    ) throws(BFFError) -> (StartRequest, StepUpGoal?) {
        if let id = request.transaction { return try transaction(id, for: request, call, in: session) }
        guard let name = request.goal else {
            // Otherwise the provider session alone could sign such a client in without any act of the user.
            var request = request
            // rule: a client with limits is signed in anew
            if call.client.isElevated { request.isForced = true }
            return (request, nil)
        }
        let user = session?.meta?.user(of: call.sessionField)
        // A challenge ends with the session: after a logout its id is not wrong, but no user is signed in.
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
        // rule: a challenge is followed by the user, and for the call, that it refused
        if let held, !held.isOf(user) || StepUpIDs.make(held) != name { throw .notAllowed(.for) }
        var forced = StartRequest()
        forced.returnTarget = request.returnTarget
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

    /// Starts a backchannel transaction for the user who is signed in.
    ///
    /// AM says only at the end of the transaction which user it is for.
    private func transaction(
        _ id: String, for request: StartRequest, _ call: InstanceCall, in session: OpenedSession?
    ) throws(BFFError) -> (StartRequest, StepUpGoal) {
        guard let user = session?.meta?.user(of: call.sessionField) else { throw .signedOut }
        var forced = StartRequest()
        forced.returnTarget = request.returnTarget
        forced.transaction = id
        forced.isForced = true
        let goal = StepUpGoal(
            purpose: Requirements.signedIn, requirement: nil, issuer: user.issuer, subject: user.subject, route: nil,
            transaction: HeldTransaction(id: id, target: [], advice: ""))
        return (forced, goal)
    }

    /// The reason why a completed flow does not count; nil when it counts.
    ///
    /// - Parameters:
    ///   - plan: The result of the flow, with the goal that it was started for.
    ///   - now: The time at which the flow ended.
    /// - Returns: The first rule that the flow breaks.
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

    /// The result of a transaction's flow: undecided, because a provider reports success for a failed transaction too.
    ///
    /// Only the API that asked for the transaction knows whether it is authorised. But a token for a new session that
    /// does not meet the client's minimum is refused, because no call could use it.
    private func refusalOfTransaction(_ plan: SignInPlan) -> StepUpRefusal {
        // rule: a transaction without a new session is undecided
        guard plan.signIn.sessionIsNew, let minimum = plan.client.minimum else { return .undecided }
        return requirements.meets(minimum, plan.signIn.tokens) ? .undecided : .notReached
    }
}

extension SignInPlan {
    /// True if the user authenticated in this flow.
    ///
    /// The authentication may not be older than the flow, within the leeway for the provider's clock, and has to be
    /// later than the former authentication by the same clock. Providers state whole seconds: when both fall into the
    /// same second, the former sign-in has to be less than a second old by our clock, so that either of the two is
    /// recent.
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

/// The reason why a completed flow does not count.
enum StepUpRefusal: Sendable {
    /// The flow ended with another user than it began with.
    case accountMismatch
    /// The token is weaker, or the authentication older, than was asked.
    case notReached
    /// The user's sign-ins were ended after the user authenticated.
    case ended
    /// The flow was for a transaction; the repeated call shows whether it is authorised.
    case undecided
}

extension StepUpRefusal {
    /// The reason that the browser is told; nil when undecided.
    var reason: FailureReason? {
        switch self {
        case .ended: .loginRequired
        case .accountMismatch: .accountMismatch
        case .notReached: .stepUpNotReached
        case .undecided: nil
        }
    }
}

extension StepUpChallenge {
    /// True if a user's call was refused.
    fileprivate func isOf(_ user: (issuer: String, subject: String)) -> Bool {
        issuer.isSameText(as: user.issuer) && subject.isSameText(as: user.subject)
    }
}

extension Requirement {
    /// The `acr_values` that a step-up asks for.
    fileprivate var acrValues: [String] { challengeACR.map { [$0] } ?? [] }
}
