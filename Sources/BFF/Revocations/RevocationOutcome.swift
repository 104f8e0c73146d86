/// What became of tokens or a session that had to end at a provider.
package enum RevocationOutcome: String, Sendable, CaseIterable {
    /// The provider took it, or had ended it already.
    case ended
    /// The provider could not be asked or does not know us now; it is tried again.
    case pending
    /// The provider cannot or will not, and no later try would help.
    case impossible

    /// The outcome of all together: the worst of them.
    static func all(_ outcomes: [RevocationOutcome]) -> RevocationOutcome {
        if outcomes.contains(.impossible) { return .impossible }
        return outcomes.contains(.pending) ? .pending : .ended
    }
}
