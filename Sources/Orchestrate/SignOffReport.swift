public import Basics

/// What signing off achieved; every part was tried, whatever happened to the others.
public struct SignOffReport: Sendable {
    /// What became of something at the provider.
    public enum Remote: Sendable {
        /// There was nothing to end.
        case nothing
        /// The provider ended it.
        case ended
        /// The provider no longer knew it; nothing is left to do.
        case alreadyGone
        /// The provider did not confirm it; it may still be alive.
        case failed(EngineError)
    }

    /// The session at the provider.
    public var session = Remote.nothing
    /// The tokens at the authorization server.
    public var tokens = Remote.nothing
    /// Local stores that failed; what they held may still be there.
    public var stores: [StorageError] = []

    /// A sign-off that had nothing to end.
    package init() {}

    /// Whether nothing is left to retry.
    public var isComplete: Bool {
        if case .failed = session { return false }
        if case .failed = tokens { return false }
        return stores.isEmpty
    }
}
