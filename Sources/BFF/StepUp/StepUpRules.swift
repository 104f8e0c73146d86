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
        guard let name = request.goal else {
            // The provider session alone would do for such a client without the user doing anything.
            var request = request
            if call.client.isElevated { request.isForced = true }
            return (request, nil)
        }
        let held = session?.challenge(name)
        guard let requirement = requirements[held?.requirement ?? name], requirement.stepUp == call.client.name else {
            throw .notAllowed(field: "for")
        }
        guard let entry = session?.meta?.tokens.first(where: { $0.sessionField == call.sessionField }) else {
            throw .signedOut
        }
        var forced = StartRequest()
        forced.goal = name
        forced.isForced = true
        forced.acrValues = held.flatMap { $0.acrValues.isEmpty ? nil : $0.acrValues } ?? requirement.acrValues
        forced.advice = held?.transaction?.advice
        let goal = StepUpGoal(
            requirement: held == nil ? requirement.name : nil, issuer: entry.issuer, subject: entry.subject,
            route: held?.route, transaction: held?.transaction)
        return (forced, goal)
    }

    /// The offer that a start without a goal gets whose client the provider finds too weakly signed in for.
    func offer(after failure: FlowFailure, _ call: InstanceCall) -> StepUpOffer? {
        guard failure.reason == "unmet-authentication-requirements", let name = call.client.minimum,
            let requirement = requirements[name], requirement.stepUp == call.client.name
        else { return nil }
        return StepUpOffer(instance: call.instance.text, goal: name, requirement: requirement)
    }

    /// Why a completed flow does not count; nil when it does.
    ///
    /// - Parameters:
    ///   - tokens: What it ended with.
    ///   - client: The client that the tokens are for.
    ///   - goal: What it was started for, when it was a step-up.
    ///   - begun: When it was started.
    /// - Returns: The first rule that it does not keep.
    func refusal(
        of tokens: TokenSet, for client: ClientDefinition, goal: StepUpGoal?, begun: Timestamp
    ) -> StepUpRefusal? {
        if let goal {
            guard goal.issuer.isSameText(as: tokens.issuer), goal.subject.isSameText(as: tokens.subject) else {
                return .accountMismatch
            }
            // A provider says yes to a failed transaction too: only the API that asked for it knows.
            guard goal.transaction == nil else { return .undecided }
            // Providers state whole seconds.
            guard let authTime = tokens.authTime, authTime.seconds >= begun.seconds else { return .notReached }
        }
        for name in [goal?.requirement, client.minimum].compactMap({ $0 }) {
            guard requirements.meets(name, tokens) else { return .notReached }
        }
        return nil
    }
}

/// Why a completed flow does not count; the raw value is the failure's reason.
enum StepUpRefusal: String, Sendable {
    /// It ended with another user than before.
    case accountMismatch = "account-mismatch"
    /// The token is not as strong, or the authentication not as fresh, as was asked.
    case notReached = "step-up-not-reached"
    /// It was for a transaction; whether that is authorised the repeated call will show.
    case undecided
}

extension Requirement {
    /// The `acr_values` that a step-up asks for.
    fileprivate var acrValues: [String] { challengeACR.map { [$0] } ?? [] }
}
