/// What became of something that had to end at a provider.
package enum Fate: Sendable, Equatable {
    /// The provider took it, or had ended it already.
    case ended
    /// The provider could not be asked or does not know us now; it is tried again.
    case pending
    /// The provider cannot or will not, and no later try would help.
    case impossible

    /// The fate of all together: the worst of them.
    static func all(_ fates: [Fate]) -> Fate {
        if fates.contains(.impossible) { return .impossible }
        return fates.contains(.pending) ? .pending : .ended
    }
}
