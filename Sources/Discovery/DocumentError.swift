/// Why there is no document now, for those who ask once per token.
package struct DocumentError: Error, Sendable, Equatable {
    /// Why; it may be the reason of somebody else's question a moment ago.
    package let cause: DiscoveryError
    /// How long it makes no sense to ask again.
    package let retryAfter: Duration
    /// Whether nothing failed: what was missed was looked for in vain a moment ago, by others, and it is too early to look
    /// again.
    package let isTooEarly: Bool

    /// Makes a failure with its cause.
    package init(cause: DiscoveryError, retryAfter: Duration, isTooEarly: Bool = false) {
        self.cause = cause
        self.retryAfter = retryAfter
        self.isTooEarly = isTooEarly
    }
}
