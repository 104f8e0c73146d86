/// Why an operation was not done; each case is a problem document of its own.
package enum BFFError: Error, Sendable, Equatable {
    /// No client has that name.
    case unknownInstance
    /// The browser holds as many accounts as it may.
    case tooManyAccounts(limit: Int)
    /// The instance has no valid tokens.
    case signedOut
    /// The start asks for something its client does not allow.
    case notAllowed(StartMember)
    /// Answers that cannot be sent.
    case invalidAnswers([PageAnswerProblem])
    /// The name of a user was tried too often, or the flow answered; it stays at its page.
    case tooManyAttempts(retryAfter: Duration)
    /// No such flow, or it is over or outlived its time.
    case flowExpired
    /// The step was answered already, or another answer to it is on its way; `node` is what the flow shows now.
    case staleStep(node: FlowNode)
    /// Nobody is waited for with that handle, in that session, at that page.
    case noPendingReturn
    /// A value means nothing; `field` names it.
    case malformed(field: String)
    /// A name comes twice where it may come once; `field` is the name.
    case repeated(field: String)
    /// The same answer is still on its way at the deadline.
    case stepInProgress
    /// The browser's cookie was replaced meanwhile; repeat the request with the new one.
    case sessionChanged
    /// The sign-in was of another user than the instance's, and `replace` was not said.
    case subjectChanged
    /// A link signs another user in than the instance's; the browser may confirm that.
    case confirmationNeeded(SubjectQuestion)
    /// The route needs a stronger token than the instance has; the browser can get one.
    case stepUpRequired(StepUpOffer)
    /// A stronger token is needed and no client is configured to get it.
    case stepUpUnavailable
    /// Stepping up did not help twice.
    case stepUpFailed
    /// The provider session cannot give what was asked without the user, and nothing that can be started would help.
    case interactionNeeded
    /// The provider cannot be asked now.
    case providerUnavailable(retryAfter: Duration)
    /// The provider refuses us or sent something that failed a check.
    case providerRefused
    /// The store cannot be asked now; nothing is lost.
    case storeUnavailable(retryAfter: Duration)
    /// The caller went away.
    case cancelled
}
