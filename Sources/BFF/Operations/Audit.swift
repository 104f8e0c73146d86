import Logs

extension Backend {
    /// One line for each sign-in, refusal and logout; values from closed sets only, never an answer or a subject.
    func audit(_ context: CallContext, _ message: String, _ instance: InstanceName?, _ facts: [String: String]) {
        var metadata: Logger.Metadata = [:]
        if let instance { metadata["client"] = .string(instance.client) }
        for (name, value) in facts { metadata[name] = .string(value) }
        log(context).info("\(message)", metadata: metadata)
    }

    /// The line of a flow that ended without a sign-in, and one for whoever has to act on its cause.
    func audit(
        _ context: CallContext, _ failure: FlowFailure, _ instance: InstanceName, journey: String? = nil
    ) {
        if let check = failure.check {
            var metadata: Logger.Metadata = ["check": .string(check), "client": .string(instance.client)]
            metadata["journey"] = journey.map { .string($0) }
            log(context).error("The provider's answer to a sign-in was refused", metadata: metadata)
        }
        var facts = ["reason": failure.reason]
        facts["journey"] = journey
        audit(context, "Sign-in failed", instance, facts)
    }
}
