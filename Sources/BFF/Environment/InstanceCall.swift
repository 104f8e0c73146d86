import Orchestrate

/// A request to an instance: which one, its client, and the request itself.
struct InstanceCall: Sendable {
    let instance: InstanceName
    let client: ClientDefinition
    let context: CallContext

    /// Where the instance's provider session is.
    var sessionField: String { client.sessionField(instance.account) }
    /// Where its tokens are.
    var tokenField: String { client.tokenField(instance.account) }
    /// Where its user record is.
    var userField: String { client.userField(instance.account) }

    /// When a call to the client that begins now gives up.
    func deadline() -> ContinuousClock.Instant { min(context.deadline, .now + client.timeout) }

    /// On whose behalf the client is called now.
    func caller() -> Caller {
        var caller = context.caller
        caller.deadline = deadline()
        return caller
    }
}
