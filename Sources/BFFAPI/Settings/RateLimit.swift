/// A rate limit: a number of uses at once, and a number of uses a minute in the long run.
package struct RateLimit: Sendable, Equatable {
    /// The uses at once, after a pause; 1 or more.
    package var burst: Int
    /// The uses a minute in the long run; 1 or more.
    package var perMinute: Int

    /// Makes a limit.
    ///
    /// - Parameters:
    ///   - burst: The uses at once; 1 or more.
    ///   - perMinute: The uses a minute in the long run; 1 or more.
    package init(burst: Int, perMinute: Int) {
        self.burst = burst
        self.perMinute = perMinute
    }

    /// The range of both numbers.
    package static let range = 1...1_000_000

    /// True if both numbers are in range.
    var isValid: Bool { Self.range ~= burst && Self.range ~= perMinute }
}
