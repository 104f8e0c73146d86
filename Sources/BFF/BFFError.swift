/// The reason why an operation was not done; each case has its own problem document.
package enum BFFError: Error, Sendable, Equatable {
    /// No client has that name.
    case unknownInstance
    /// The browser holds as many accounts as it may.
    case tooManyAccounts(limit: Int)
    /// The instance has no valid tokens.
    case signedOut
    /// The user's sign-ins were ended after the user authenticated; the user has to sign in again.
    case signInEnded
    /// A provider's logout token fails a check, or has been used.
    case logoutTokenRefused
    /// The user is not signed in to such a session.
    case unknownSession
    /// The start asks for something its client does not allow.
    case notAllowed(StartMember)
    /// The answers cannot be sent to the provider; each problem says why.
    case invalidAnswers([PageAnswerProblem])
    /// A user's name was tried too often, or the flow was answered too often; the flow stays at its page.
    case tooManyAttempts(retryAfter: Duration)
    /// The flow does not exist, is over or outlived its time.
    case flowExpired
    /// The step was answered already, or another answer to it is in flight; `node` is what the flow shows now.
    case staleStep(node: FlowNode)
    /// No user is away with that handle, in that session, from that page.
    case noPendingReturn
    /// A value of the request cannot be used, or is of another type; `field` names it.
    case malformed(field: String, isWrongType: Bool = false)
    /// A name occurs twice where it may occur once; `field` is the name.
    case repeated(field: String)
    /// An equal answer to the step is still in flight at the deadline.
    case stepInProgress
    /// The browser's cookie was replaced meanwhile; repeat the request with the new one.
    case sessionChanged
    /// The sign-in was of another user than the instance's, and the start did not set `replace`.
    case subjectChanged
    /// A link signs another user in than the instance's; the browser may confirm that.
    case confirmationNeeded(SubjectQuestion)
    /// The session is bound to a device, and the request lacks the device's proof.
    case deviceProofRequired
    /// Like `deviceProofRequired`, where the browser says that it could not get the proof now.
    case deviceProofMissing
    /// The route is for sessions that are bound to a device alone, and this one is not.
    case deviceRequired
    /// The route needs a stronger token than the instance has; the browser can get one.
    case stepUpRequired(StepUpOffer)
    /// A stronger token is needed and no client is configured to get it.
    case stepUpUnavailable
    /// Two step-ups did not help.
    case stepUpFailed
    /// The provider session cannot give what was asked without the user, and no flow that can be started would help.
    case interactionNeeded
    /// The provider cannot be asked now.
    case providerUnavailable(retryAfter: Duration)
    /// The provider refuses this server, or sent something that failed a check.
    case providerRefused
    /// The store cannot be asked now; nothing is lost.
    case storeUnavailable(retryAfter: Duration)
    /// The caller went away.
    case cancelled
}
