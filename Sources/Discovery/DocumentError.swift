/// Why a document is not available now, for callers that ask once per token.
package struct DocumentError: Error, Sendable, Equatable {
    /// The reason; it may stem from an earlier caller's fetch.
    package let cause: DiscoveryError
    /// How long to wait before asking again.
    package let retryAfter: Duration
    /// True if no fetch failed, but the next fetch for a missing item is not due yet.
    package let isTooEarly: Bool

    /// Makes an error from its cause.
    package init(cause: DiscoveryError, retryAfter: Duration, isTooEarly: Bool = false) {
        self.cause = cause
        self.retryAfter = retryAfter
        self.isTooEarly = isTooEarly
    }
}
