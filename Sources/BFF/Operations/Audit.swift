import Logging

extension Backend {
    /// One line for each sign-in, refusal and logout; values from closed sets only, never an answer or a subject.
    func audit(_ context: CallContext, _ message: String, _ instance: InstanceName?, _ facts: [String: String]) {
        var metadata: Logger.Metadata = [:]
        if let instance { metadata["client"] = .string(instance.client) }
        for (name, value) in facts { metadata[name] = .string(value) }
        log(context).info("\(message)", metadata: metadata)
    }
}
