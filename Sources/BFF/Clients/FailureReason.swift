/// Why a flow ended without a sign-in, as the SPA is told: all the reasons that there are (docs/problems/README.md,
/// 'Failures').
package enum FailureReason: String, Sendable, CaseIterable {
    /// The provider refused the answers.
    case authenticationFailed = "authentication-failed"
    /// A step was answered too late.
    case journeyExpired = "journey-expired"
    /// The link of a suspended journey was used, or is too old.
    case suspendedExpired = "suspended-expired"
    /// Values did not meet the provider's policies.
    case policyFailed = "policy-failed"
    /// A page wants to send its user where nobody is sent.
    case linkNotAllowed = "link-not-allowed"
    /// The provider does not take the request.
    case badRequest = "bad-request"
    /// The provider cannot be asked now.
    case providerUnavailable = "provider-unavailable"
    /// Nobody knows what the provider did with a step.
    case outcomeUnknown = "outcome-unknown"
    /// The provider wants a consent that nobody can give here.
    case consentRequired = "consent-required"
    /// Somebody else answered than who was signed in.
    case accountMismatch = "account-mismatch"
    /// A step-up ended well and is not strong or recent enough.
    case stepUpNotReached = "step-up-not-reached"
    /// The provider finds the sign-in too weak for what its client asks.
    case tooWeak = "unmet-authentication-requirements"
    /// The provider refused more answers than a flow may have refused.
    case tooManyRefusals = "too-many-refusals"
    /// What the provider sent is larger than what is taken of it.
    case pageTooLarge = "page-too-large"
    /// A step of a DaVinci flow was answered too late.
    case interactionExpired = "interaction-expired"
    /// Nobody is signed in at the provider, and the start wanted no page.
    case loginRequired = "login-required"
    /// The provider ended the flow, and no setting explains it.
    case providerRefused = "provider-refused"
    /// What a page waited for ended, and there is no page to go back to.
    case pollFailed = "poll-failed"
    /// Only an operator can change it: our settings, or the provider's.
    case configuration = "configuration-error"
}
