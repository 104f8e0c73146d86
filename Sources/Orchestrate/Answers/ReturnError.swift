/// Why the parameters of a redirect from another site are not sent to the provider.
public enum ReturnError: Error, Sendable, Equatable {
    /// A parameter is unknown or repeated.
    case parameters
    /// `state` differs from the one in the redirect that left the page.
    case state
}
