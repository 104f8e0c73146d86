public import Basics

/// The results of signing off; every part is attempted, even after another part failed.
public struct SignOffReport: Sendable {
    /// The result of ending one thing at the provider.
    public enum Remote: Sendable {
        /// There was nothing to end.
        case nothing
        /// The provider ended it.
        case ended
        /// The provider no longer knew it, so nothing is left to do.
        case alreadyGone
        /// The provider did not confirm the end, so it may still be alive.
        case failed(EngineError)
    }

    /// The result for the session at the provider.
    public var session = Remote.nothing
    /// The result for the tokens at the authorization server.
    public var tokens = Remote.nothing
    /// The errors of local stores; their contents may still be there.
    public var stores: [StorageError] = []

    /// Makes the report of a sign-off with nothing to end.
    package init() {}

    /// True if nothing is left to retry.
    public var isComplete: Bool {
        if case .failed = session { return false }
        if case .failed = tokens { return false }
        return stores.isEmpty
    }
}
