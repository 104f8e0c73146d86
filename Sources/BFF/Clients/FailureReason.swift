/// The reason why a flow ended without a sign-in, as the SPA is told.
///
/// The list is complete (docs/problems/README.md, 'Failures').
package enum FailureReason: String, Sendable, CaseIterable {
    /// The provider refused the answers.
    case authenticationFailed = "authentication-failed"
    /// A step was answered too late.
    case journeyExpired = "journey-expired"
    /// The link of a suspended journey was used, or is too old.
    case suspendedExpired = "suspended-expired"
    /// Values did not meet the provider's policies.
    case policyFailed = "policy-failed"
    /// A page would send its user to an address that the settings do not allow.
    case linkNotAllowed = "link-not-allowed"
    /// The provider does not accept the request.
    case badRequest = "bad-request"
    /// The provider cannot be asked now.
    case providerUnavailable = "provider-unavailable"
    /// The outcome of a step at the provider is unknown.
    case outcomeUnknown = "outcome-unknown"
    /// The provider wants a consent that the user cannot give here.
    case consentRequired = "consent-required"
    /// Another user answered than the one who was signed in.
    case accountMismatch = "account-mismatch"
    /// A step-up ended well and is not strong or recent enough.
    case stepUpNotReached = "step-up-not-reached"
    /// The provider finds the sign-in too weak for what its client asks.
    case tooWeak = "unmet-authentication-requirements"
    /// The provider refused more answers than a flow may have refused.
    case tooManyRefusals = "too-many-refusals"
    /// The provider sent more than this server accepts.
    case pageTooLarge = "page-too-large"
    /// A step of a DaVinci flow was answered too late.
    case interactionExpired = "interaction-expired"
    /// The user is not signed in at the provider, and the start wanted no page.
    case loginRequired = "login-required"
    /// The provider ended the flow, and no setting explains it.
    case providerRefused = "provider-refused"
    /// A DaVinci flow went back to a page that it waited on, and there is no such page, or nothing left to do on it.
    case pollFailed = "poll-failed"
    /// Only an operator can fix it, in our settings or in the provider's.
    case configuration = "configuration-error"
}
