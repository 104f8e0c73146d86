/// The outcome of ending tokens or a provider session at the provider.
package enum RevocationOutcome: String, Sendable, CaseIterable {
    /// The provider has ended it, now or before.
    case ended
    /// The provider could not be asked or does not know the client now; the revocation is retried.
    case pending
    /// The provider cannot or will not end it, and no retry would help.
    case impossible

    /// The worst of several outcomes.
    static func all(_ outcomes: [RevocationOutcome]) -> RevocationOutcome {
        if outcomes.contains(.impossible) { return .impossible }
        return outcomes.contains(.pending) ? .pending : .ended
    }
}
