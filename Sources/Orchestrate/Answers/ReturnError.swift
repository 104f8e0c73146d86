/// Why what came back from another site is not sent on.
public enum ReturnError: Error, Sendable, Equatable {
    /// A parameter is unknown or repeated.
    case parameters
    /// `state` is not the one that the page sent the browser away with.
    case state
}
