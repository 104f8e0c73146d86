/// The result of one live check.
public struct LiveFinding: Sendable, Equatable {
    /// The subject of the check: `clients.standard: discovery`.
    public let subject: String
    /// The problem and its remedy; nil when the check succeeded.
    public let failure: String?
    /// A defect that does not stop the server from working; nil when there is none.
    public var warning: String?

    /// Makes a finding.
    package init(subject: String, failure: String?, warning: String? = nil) {
        self.subject = subject
        self.failure = failure
        self.warning = warning
    }
}
