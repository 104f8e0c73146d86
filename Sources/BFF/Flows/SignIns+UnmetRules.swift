internal import Basics
internal import Logs
internal import OpenIDConnect
internal import ResourceServer

extension SignIns {
    /// Warns the operator of the rules that a completed flow does not meet: provider and settings do not fit, and the
    /// user cannot change that.
    func warnOfUnmetRules(_ plan: SignInPlan) {
        let tokens = plan.signIn.tokens
        var lines: [Logger.Metadata] = []
        if plan.goal != nil, plan.goal?.transaction == nil, !plan.isFresh(at: environment.now()) {
            let found = plan.authTimes.stated.map { "\(plan.begun.seconds - $0.seconds)s before it" } ?? "nothing"
            lines.append([
                "rule": "auth_time", "expected": "in the flow, later than the sign-in before", "found": .string(found),
            ])
        }
        let goal = plan.goal?.requirement
        let minimum = plan.client.minimum == goal ? nil : plan.client.minimum
        for requirement in [goal, minimum].compactMap({ $0.flatMap { environment.requirements[$0] } }) {
            let readings = tokens.facts.map { requirement.unmetRules(by: $0, at: environment.now()) }
            for unmet in readings.first(where: { !$0.isEmpty }) ?? [] {
                lines.append([
                    "requirement": .string(requirement.name), "rule": .string(unmet.rule),
                    "expected": .string(unmet.expected), "found": .string(unmet.found),
                ])
            }
        }
        for var line in lines {
            line["client"] = .string(plan.client.name)
            environment.log(plan.call.context).warning("A step-up does not reach what is asked for", metadata: line)
        }
    }
}
