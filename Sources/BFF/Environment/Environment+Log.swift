import Logs
import ResourceServer
import Sessions
import StorageKit

extension Environment {
    /// The log of a request.
    func log(_ context: CallContext) -> Logger {
        var logger = logger
        logger[metadataKey: "request.id"] = .string(context.requestID)
        return logger
    }

    /// Logs for an operator why the steps of a client cannot be sent.
    func warn(ofUnsent cause: FlowFailure, _ call: InstanceCall) {
        var metadata: Logger.Metadata = ["client": .string(call.client.name), "reason": .string(cause.reason.rawValue)]
        if let check = cause.check { metadata["check"] = .string(check) }
        log(call.context).warning("A step of a sign-in could not be sent", metadata: metadata)
    }

    /// Offers the client's own flow when the provider finds the user too weakly signed in, and writes that to the
    /// audit.
    func offerOwnFlow(_ call: InstanceCall, _ session: SessionKey) -> BFFError {
        let offer = requirements.ownFlow(of: call)
        var facts = AuditFacts(session, call.instance)
        facts.more["requirement"] = offer.requirement?.name
        audit.write(.stepUp(.offered), call.context, facts)
        return .stepUpRequired(offer)
    }

    /// Writes the audit line of a flow that failed, and a log line if an operator has to act on the cause.
    ///
    /// - Parameters:
    ///   - failure: The reason of the failure.
    ///   - goal: The goal of the flow; nil when it was no step-up.
    ///   - facts: The other known facts; `more` has what the client says of the start, if the flow ended there.
    ///   - context: The request.
    func tell(_ failure: FlowFailure, goal: StepUpGoal?, facts: AuditFacts, _ context: CallContext) {
        if let check = failure.check, let client = facts.instance?.client {
            var metadata = Logger.Metadata(client: client, check: check, failure.mismatch)
            for (name, value) in facts.more { metadata[name] = .string(value) }
            // Users give up, come without a session, or are another user: no operator has to act on that.
            let isUsual = [.loginRequired, .providerRefused, .accountMismatch].contains(failure.reason)
            log(context).log(
                level: isUsual ? .info : .error, "The provider's answer to a sign-in was refused", metadata: metadata)
        }
        var facts = facts
        facts.reason = failure.reason.rawValue
        facts.person = goal?.person
        if let goal { facts.more.merge(goal.auditMembers) { _, own in own } }
        audit.write(goal == nil ? .signIn(.failed) : .stepUp(.missed), context, facts)
    }
}
