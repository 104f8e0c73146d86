import Logs

extension Environment {
    /// The log of a request.
    func log(_ context: CallContext) -> Logger {
        var logger = logger
        logger[metadataKey: "request.id"] = .string(context.requestID)
        return logger
    }

    /// One line for each sign-in, refusal and logout; values from closed sets only, never an answer or a subject.
    func audit(_ context: CallContext, _ message: String, _ instance: InstanceName?, _ facts: [String: String]) {
        var metadata: Logger.Metadata = [:]
        if let instance { metadata["client"] = .string(instance.client) }
        for (name, value) in facts { metadata[name] = .string(value) }
        log(context).info("\(message)", metadata: metadata)
    }

    /// The line for whoever has to act on what keeps the steps of a client from being sent.
    func warn(ofUnsent cause: FlowFailure, _ call: InstanceCall) {
        var metadata: Logger.Metadata = ["client": .string(call.client.name), "reason": .string(cause.reason.rawValue)]
        if let check = cause.check { metadata["check"] = .string(check) }
        log(call.context).warning("A step of a sign-in could not be sent", metadata: metadata)
    }

    /// The line of a flow that ended without a sign-in, and one for whoever has to act on its cause; `start` is what the
    /// client says of the start, where it ended there.
    func audit(
        _ context: CallContext, _ failure: FlowFailure, _ instance: InstanceName, _ start: [String: String] = [:]
    ) {
        if let check = failure.check {
            var metadata = Logger.Metadata(client: instance.client, check: check, failure.mismatch)
            for (name, value) in start { metadata[name] = .string(value) }
            log(context).error("The provider's answer to a sign-in was refused", metadata: metadata)
        }
        var facts = start
        facts["reason"] = failure.reason.rawValue
        audit(context, "Sign-in failed", instance, facts)
    }
}
