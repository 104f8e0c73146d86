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

    /// On whose behalf the client is called, with the provider session that is at hand.
    func caller(_ session: [UInt8]?) -> SignInCaller { SignInCaller(client, session, context) }
}

extension SignInCaller {
    /// The caller of a client for a request.
    init(_ client: ClientDefinition, _ session: [UInt8]?, _ context: CallContext) {
        self.init(
            session: session, languages: context.languages, browser: context.browser,
            deadline: min(context.deadline, ContinuousClock.now + client.timeout), requestID: context.requestID)
    }
}
