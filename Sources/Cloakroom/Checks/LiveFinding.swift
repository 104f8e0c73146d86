/// What one try at something that the settings name came to.
public struct LiveFinding: Sendable, Equatable {
    /// What was tried: `clients.standard: discovery`.
    public let subject: String
    /// Why it failed and what to change, nil when it did not.
    public let failure: String?
    /// What works and still ought to be known; nil when there is nothing.
    public var warning: String?
}
